// What latency markers tell, if the job has them (metrics.latency.interval).

import { api } from './api.js';

/** Which metrics there are is asked anew after this time, and when subtasks have come or gone. */
const NAMES_MS = 60000;

/** A URL has 4 KB at most. */
const AT_ONCE = 25;

/** More are not asked for. */
const MOST = 100;

let known = { of: null, at: 0, names: [] };

/**
 * Of 100 markers of a source that have come to a subtask of this vertex, 99 were faster: in ms, the largest that any of
 * its subtasks tells; null: there are none.
 */
export async function latency(job, vertex, at) {
  const of = `${job} ${vertex.id} ${vertex.parallelism}`;
  if (known.of !== of || at - known.at >= NAMES_MS) {
    const last = new RegExp(`^latency\\..*operator_id\\.${vertex.id}\\.operator_subtask_index\\.(\\d+)\\.latency_p99$`);
    const names = (await api.metricNames(job)).filter((name) => {
      const [, subtask] = last.exec(name) || [];
      return Number(subtask) < vertex.parallelism;
    });
    known = { of, at, names: names.slice(0, MOST) };
  }
  const parts = [];
  for (let first = 0; first < known.names.length; first += AT_ONCE) {
    parts.push(api.metrics(job, known.names.slice(first, first + AT_ONCE)));
  }
  const values = (await Promise.all(parts)).flat().filter(Number.isFinite);
  return values.length === 0 ? null : Math.max(...values);
}
