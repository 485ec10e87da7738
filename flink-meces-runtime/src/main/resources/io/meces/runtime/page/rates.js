// What the metrics of Flink tell over time.

/**
 * Flink fetches its metrics when somebody asks for them, every 10 s at most, and tells what it fetched before. After
 * this time without another number, nothing is read; after this time without a question, the next answer is of long ago.
 */
const STILL_MS = 25000;

/** Whether nobody has asked for so long that what is told now is out of date. */
export const isOutOfDate = (now, before) => now - before >= STILL_MS;

/**
 * Adds records per second to vertices: between two moments at which the number of records was seen to change. Not known
 * before there are two. `at`: now; of each vertex stay `asked` and `since`, when its number was first seen, `changed`,
 * whether it had been another one before.
 */
export function withRates(vertices, before, at) {
  return vertices.map((vertex) => {
    const { id, name, parallelism } = vertex;
    const records = vertex.metrics['read-records'];
    const now = { id, name, parallelism, records, asked: at, since: at, changed: false, rate: null };
    const earlier = (before || []).find((v) => v.id === id);
    if (!earlier || isOutOfDate(at, earlier.asked)) return now;
    if (records === earlier.records) {
      return at - earlier.since < STILL_MS ? { ...earlier, parallelism, asked: at } : { ...now, changed: true, rate: 0 };
    }
    const read = records - earlier.records;
    // where subtasks have left, there are fewer than before
    const known = earlier.changed && read > 0;
    return { ...now, changed: true, rate: known ? (1000 * read) / (at - earlier.since) : null };
  });
}

/** Key-groups without what Flink has fetched when the page was last looked at. */
export const withoutTimes = (keyGroups) => ({
  ...keyGroups,
  subtasks: keyGroups.subtasks.map((s) => ({ ...s, 'busy-ms-per-second': null, 'back-pressured-ms-per-second': null })),
});
