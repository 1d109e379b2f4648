import type { TypedConfig } from './config.ts'
import { configShape } from './config-shape.ts'
import { IssueList, type Origin } from './issues/issue-list.ts'
import { noPosition, type Source } from './load/source.ts'
import { type Environment, type Filled, withEnvironment } from './load/with-environment.ts'
import { ConfigLocation } from './shape/shape.ts'

/** A configuration that was read, and what was found in it so far. */
export interface CheckedConfig {
  /** Use it only without issues. */
  readonly config: TypedConfig
  readonly issues: IssueList
}

/**
 * Fills in what the environment gives, and looks at every part by itself. Whether parts fit each other comes later.
 *
 * @param env - absent: its texts are taken as they are.
 */
export function checkConfig(source: Source, name: string, env?: Environment): CheckedConfig {
  const filled: Filled = { references: new Map(), given: new Set() }
  const origin: Origin = {
    name,
    references: filled.references,
    secrets: filled.given,
    positionOf: source.positionOf,
  }
  const issues = new IssueList(origin)
  const value = env === undefined ? source.value : withEnvironment(source.value, env, issues, filled)
  const config = configShape.read(value, new ConfigLocation([], issues)) as TypedConfig
  return { config, issues }
}

/** The same for one that was loaded before, or that code has made. */
export function recheckConfig(config: TypedConfig): CheckedConfig {
  return checkConfig({ value: config, positionOf: noPosition }, 'The configuration')
}
