// What is required of the parallelism of vertices, by an autoscaler or by hand.

/**
 * Bounds that say more than what is there anyway, in words, by the id of the vertex: the JobManager has some for every
 * elastic vertex, from 1 to its parallelism where nothing is required.
 */
export function bounds(requirements, elasticity) {
  const found = {};
  for (const { id, parallelism } of elasticity ? elasticity.vertices : []) {
    const is = requirements && requirements[id] && requirements[id].parallelism;
    if (is && (is.lowerBound > 1 || is.upperBound !== parallelism)) found[id] = `${is.lowerBound} to ${is.upperBound}`;
  }
  return found;
}

/** Those that have been seen twice: a rescale between two answers looks like bounds, too. */
export function confirmed(now, before) {
  return Object.fromEntries(Object.entries(now).filter(([id, text]) => before && before[id] === text));
}
