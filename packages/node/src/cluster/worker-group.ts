import type { ProcessGroup } from '@sluice/core/store'
import { GroupTopics } from './group-topics.ts'

/** Of this process: it has one primary at most. */
export const processTopics = new GroupTopics()

/**
 * Returns the processes that `serve(gateway, { workers })` runs, this one included: for `prometheus({ group })` and
 * `createConsole({ group })`, which then have the sums of all. In a process without workers it is the only member.
 */
export function workerGroup(): ProcessGroup {
  return processTopics
}
