// What whoever operates a vertex can do next, in words.

import { count, plural, share } from './common.js';

/** How long of a second a subtask may wait for its consumers, in ms, before it is worth a word. */
const BACK_PRESSURED = 500;

/** From how long of a second on a subtask is at its limit, in ms; and for how long: one that has just begun counts as busy. */
const BUSY = 900;
const BUSY_FOR_MS = 30000;

/** How many times the mean a part may have, and how few records per second are too few to judge. */
const UNEVEN = 1.5;
const FEW = 10;

const indexOfLargest = (values) => values.reduce((best, value, i) => (value > values[best] ? i : best), 0);

/** Texts, the most urgent first. `samples`: of samples.js; `running`: the rescale that runs, then only what hinders it is told. */
export function advice(vertex, keyGroups, samples, running) {
  if (!keyGroups || keyGroups.subtasks.length === 0) return [];
  const { subtasks } = keyGroups;
  const texts = [];
  const waits = subtasks.map((s) => s['back-pressured-ms-per-second']);
  const worst = indexOfLargest(waits);
  if (waits[worst] >= BACK_PRESSURED) {
    texts.push(
      `Back pressure: subtask ${worst} waits for its consumers ${share(waits[worst])} of the time. ` +
        'A vertex behind this one, or what it writes to, is too slow: rescale or relieve that. More subtasks here would wait, too.',
    );
  }
  if (running) return texts;
  return [...texts, ...skewed(keyGroups), ...overloaded(vertex, samples)];
}

/** Some subtasks have more to do than others. */
function skewed({ subtasks, 'records-per-second': rates }) {
  const total = rates ? rates.reduce((a, b) => a + b, 0) : 0;
  if (subtasks.length < 2 || total < FEW) return [];
  const mean = total / subtasks.length;
  const loads = subtasks.map((s) => s['records-per-second']);
  const busiest = indexOfLargest(loads);
  if (loads[busiest] < UNEVEN * mean) return [];
  const hottest = indexOfLargest(rates);
  const skew = `Skew: subtask ${busiest} has ${(loads[busiest] / mean).toFixed(1)} times the mean of the records. `;
  return [
    rates[hottest] >= UNEVEN * mean
      ? `${skew}Key-group ${hottest} alone has ${share((1000 * rates[hottest]) / total)} of all, and cannot be divided: aggregate before keyBy, or spread its keys.`
      : `${skew}Rescale by load-aware, to ${plural(subtasks.length, 'subtask')} as now or to more: it moves key-groups from it to others.`,
  ];
}

/** All that there are have enough to do. */
function overloaded(vertex, samples) {
  const recent = samples.length === 0 ? 0 : samples[samples.length - 1].at - BUSY_FOR_MS;
  const isLong = samples.some((s) => s.at <= recent);
  if (!isLong || !samples.every((s) => s.at < recent || s.busy.every((ms) => ms >= BUSY))) return [];
  return [
    vertex.parallelism < vertex.capacity
      ? `At its limit: all subtasks are busy for ${share(BUSY)} of the time or more. Rescale to more of them.`
      : `At its limit: all subtasks are busy for ${share(BUSY)} of the time or more, and there can be no more than ${count(vertex.capacity)}. Have the job start with more capacity: meces.rescale.max-parallelism.`,
  ];
}
