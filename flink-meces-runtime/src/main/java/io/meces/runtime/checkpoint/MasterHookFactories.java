// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.checkpoint;

import java.io.IOException;
import java.util.Arrays;
import javax.annotation.Nullable;
import org.apache.flink.runtime.checkpoint.MasterTriggerRestoreHook;
import org.apache.flink.util.SerializedValue;

/**
 * The master hooks of a job, which come serialised with it, and one of ours, which lives in this
 * process. It has to be there when the job is restored: Flink refuses a checkpoint with data of a
 * hook that it does not know, if there are any hooks.
 */
public final class MasterHookFactories extends SerializedValue<MasterTriggerRestoreHook.Factory[]> {
    private static final long serialVersionUID = 1L;

    @Nullable private final SerializedValue<MasterTriggerRestoreHook.Factory[]> ofJob;
    private final transient MasterTriggerRestoreHook<?> ours;

    public MasterHookFactories(
            @Nullable SerializedValue<MasterTriggerRestoreHook.Factory[]> ofJob,
            MasterTriggerRestoreHook<?> ours)
            throws IOException {
        super(new MasterTriggerRestoreHook.Factory[0]);
        this.ofJob = ofJob;
        this.ours = ours;
    }

    @Override
    public MasterTriggerRestoreHook.Factory[] deserializeValue(ClassLoader loader)
            throws IOException, ClassNotFoundException {
        MasterTriggerRestoreHook.Factory[] all =
                ofJob == null
                        ? new MasterTriggerRestoreHook.Factory[1]
                        : extended(ofJob.deserializeValue(loader));
        all[all.length - 1] = new Living(ours);
        return all;
    }

    private static MasterTriggerRestoreHook.Factory[] extended(
            MasterTriggerRestoreHook.Factory[] factories) {
        return Arrays.copyOf(
                factories, factories.length + 1, MasterTriggerRestoreHook.Factory[].class);
    }

    /** Gives what is there. */
    private static final class Living implements MasterTriggerRestoreHook.Factory {
        private static final long serialVersionUID = 1L;

        private final transient MasterTriggerRestoreHook<?> hook;

        Living(MasterTriggerRestoreHook<?> hook) {
            this.hook = hook;
        }

        @Override
        @SuppressWarnings("unchecked")
        public <V> MasterTriggerRestoreHook<V> create() {
            return (MasterTriggerRestoreHook<V>) hook;
        }
    }
}
