// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.streaming.runtime.watermarkstatus;

/**
 * Bridge: a valve whose channels get other producers. Flink's own keeps the watermark of a channel
 * for good, and takes no lower one.
 *
 * <p>Owned by the task thread.
 */
public final class ElasticValve extends StatusWatermarkValve {

    public ElasticValve(int channels) {
        super(channels);
    }

    /**
     * Forgets what the last producer of a channel has sent. The next one may be behind it.
     *
     * @param channel one that is idle
     */
    public void forget(int channel) {
        getSubpartitionStatus(channel).watermark = Long.MIN_VALUE;
    }
}
