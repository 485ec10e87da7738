/** The key-count demo: load, verification and measurement around a live rescale. */
package io.meces.experiments.demo;
