// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Paths;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend;
import org.junit.jupiter.api.Test;

class MecesRocksDBOptionsTest {

    private final Configuration cluster = new Configuration();

    @Test
    void takesASize() {
        assertThat(MecesRocksDBOptions.filesFrom(cluster)).isEqualTo(512 << 10);
        cluster.setString("meces.state.rocksdb.files-from", "3 mb");
        assertThat(MecesRocksDBOptions.filesFrom(cluster)).isEqualTo(3 << 20);
    }

    @Test
    void refusesWhatIsNoneWhereTheJobIsSubmitted() throws Exception {
        RocksDBStateBackend flinks = new RocksDBStateBackend("file:///checkpoints");
        cluster.setString("meces.state.rocksdb.files-from", "many");
        assertThatThrownBy(() -> MecesRocksDBStateBackend.inPlaceOf(flinks, cluster))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining("meces.state.rocksdb.files-from must be a size, as 512 kb");
    }

    @Test
    void theOperatorGuideTellsOfIt() {
        assertThat(Paths.get("..", "docs", "operator-guide.md"))
                .content()
                .contains(
                        String.format(
                                "`%s` (%s)",
                                MecesRocksDBOptions.FILES_FROM.key(),
                                MecesRocksDBOptions.FILES_FROM.defaultValue()));
    }
}
