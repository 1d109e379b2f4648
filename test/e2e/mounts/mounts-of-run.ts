import { inject } from 'vitest'
import { type Mount, mounts } from './mounts.ts'

/** One host of each kind. The thorough tests take all, in all versions and under all paths. */
const sample = ['node http', 'express 5', 'koa 3']

/** The hosts of this run, by name. */
export const mountsOfRun: readonly (readonly [name: string, mount: Mount])[] = Object.entries(mounts).filter(
  ([name]) => inject('exhaustive') || sample.includes(name),
)
