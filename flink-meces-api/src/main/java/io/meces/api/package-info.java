// SPDX-License-Identifier: Apache-2.0
/**
 * What can be asked of flink-meces, and what it answers: values without behaviour, for the
 * JobManager and for clients. Nothing here knows Flink, HTTP or a JSON library.
 *
 * <p>JSON is made of them by one rule: an object has a member for each field of a class, named as
 * the field, in kebab case ({@code unitsOnDemand} is {@code units-on-demand}); an enum is its name.
 * What a reader does not know it ignores, and what is missing has the value that the constructor
 * without arguments gives. That constructor is for such readers, and the fields are not final for
 * them only: the values are immutable.
 */
package io.meces.api;
