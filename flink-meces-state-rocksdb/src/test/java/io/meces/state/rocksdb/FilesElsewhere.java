// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import java.net.URI;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;
import org.apache.flink.core.fs.local.LocalFileSystem;

/** A file system that is not of this machine, by what it says. */
final class FilesElsewhere extends LocalFileSystem {

    static final String SCHEME = "elsewhere";

    @Override
    public boolean isDistributedFS() {
        return true;
    }

    @Override
    public URI getUri() {
        return URI.create(SCHEME + ":///");
    }

    /** Is found by Flink. */
    public static final class Factory implements FileSystemFactory {

        @Override
        public String getScheme() {
            return SCHEME;
        }

        @Override
        public FileSystem create(URI uri) {
            return new FilesElsewhere();
        }
    }
}
