// What a rescale does in each of its states, and what it waits for.

export const STATES = {
  DEPLOYING: ['Deploys new subtasks', 'waits for slots, and until they run'],
  QUIESCING: ['Holds checkpoints back', 'waits for the end of those on their way'],
  BEGINNING: ['Tells subtasks that give or take state', 'waits until they are ready'],
  CONNECTING: ['Connects new subtasks with their upstreams and consumers', 'waits until all have seen it'],
  STARTING: ['Begins a step', 'waits until givers and takers are ready'],
  MIGRATING: ['Records go to the new owners, and state moves after them', 'waits for the last unit of the step'],
  TRANSFERRING: ['The data of these key-groups follows its units', 'waits until all of it has come'],
  PAUSING: ['Lets a checkpoint pass between two steps', 'waits for its end'],
  YIELDING: ['Lets event time go on', 'waits for the watermark of those that take'],
  DRAINING: ['Ends the input of subtasks that leave', 'waits until they have worked it off'],
  CONFIRMING: ['Lets a checkpoint pass that has their last results', 'waits until it is confirmed'],
  READING: ['Reads what they have left in that checkpoint', 'waits for the storage'],
  RETIRING: ['Has them say good-bye to their consumers', 'waits until all have seen it'],
  CANCELLING: ['Ends them', 'waits until their slots are free'],
  DISCONNECTING: ['Takes the channels to them down', 'waits until all upstreams have'],
  WITHDRAWING: ['Takes back new subtasks', 'waits until their consumers have seen it'],
  UNDEPLOYING: ['Ends new subtasks', 'waits until their slots are free'],
};

export const STATUSES = {
  RUNNING: 'running',
  ROLLING_BACK: 'rolling back',
  RECOVERING: 'recovering',
  FINISHED: 'finished',
  ABORTED: 'aborted',
  FAILED: 'failed',
};

export const isFinal = (status) => status === 'FINISHED' || status === 'ABORTED' || status === 'FAILED';

/** Who or what has asked for it. */
export const CAUSES = {
  USER: 'a user',
  AUTOSCALER: 'the autoscaler',
  RECOVERY: 'recovery',
  SLOTS: 'slots',
};

/** By the names of meces.rescale.strategy. */
export const STRATEGIES = {
  'minimal-move': 'equal shares, fewest moves',
  uniform: 'contiguous ranges, as stock Flink',
  'consistent-hashing': 'few moves, roughly equal shares',
  'load-aware': 'equal load, as measured',
};
