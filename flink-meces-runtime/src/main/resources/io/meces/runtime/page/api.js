// The REST interface of the JobManager, below which this page is: ../

const TIMEOUT_MS = 20000;

/** What the JobManager answers with a status of 400 or more, in its words. */
export class Refusal extends Error {
  constructor(status, errors) {
    super(errors[0]);
    this.status = status;
    /** What follows the first line: mostly a stack trace. */
    this.more = errors.slice(1).join('\n');
  }
}

async function send(method, path, body) {
  let response;
  try {
    response = await fetch(`../${path}`, {
      method,
      cache: 'no-store',
      headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (failure) {
    throw new Refusal(0, [
      failure.name === 'TimeoutError'
        ? `The JobManager has not answered within ${TIMEOUT_MS / 1000} s.`
        : 'The JobManager cannot be reached.',
    ]);
  }
  const text = await response.text();
  let json = null;
  try {
    json = text === '' ? {} : JSON.parse(text);
  } catch {
    // a proxy in between answers in its own way
  }
  if (!response.ok || json === null) {
    const said = json && Array.isArray(json.errors) ? json.errors.join('\n') : text;
    const lines = said.split('\n').filter((line) => line.trim() !== '');
    throw new Refusal(response.status, lines.length ? lines : [`Status ${response.status} without a word.`]);
  }
  return json;
}

const job = (id) => `jobs/${encodeURIComponent(id)}`;

export const api = {
  configuration: async () => Object.fromEntries((await send('GET', 'jobmanager/config')).map((e) => [e.key, e.value])),
  overview: () => send('GET', 'overview'),
  jobs: async () => (await send('GET', 'jobs/overview')).jobs,
  job: (id) => send('GET', job(id)),
  metricNames: async (id) => (await send('GET', `${job(id)}/metrics`)).map((metric) => metric.id),
  metrics: async (id, names) => (await send('GET', `${job(id)}/metrics?get=${names.join()}`)).map((m) => Number(m.value)),
  elasticity: (id) => send('GET', `${job(id)}/elasticity`),
  keyGroups: (id, vertex) => send('GET', `${job(id)}/vertices/${vertex}/key-groups`),
  requirements: (id) => send('GET', `${job(id)}/resource-requirements`),
  rescales: async (id) => (await send('GET', `${job(id)}/rescales`)).rescales,
  rescale: (id, rescale) => send('GET', `${job(id)}/rescales/${rescale}`),
  begin: (id, request) => send('POST', `${job(id)}/rescales`, request),
  plan: (id, request) => send('POST', `${job(id)}/rescales`, { ...request, 'dry-run': true }),
  abort: (id, rescale, mode) => send('DELETE', `${job(id)}/rescales/${rescale}?mode=${mode}`),
};
