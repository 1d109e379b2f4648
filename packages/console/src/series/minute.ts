import type { EndEvent } from '@sluice/core'
import { shownText } from '../recent/shown-text.ts'
import { teamOf } from '../recent/team-of.ts'
import { MinuteSums } from './minute-sums.ts'

/** By what lines are told apart. */
export type LineKind = 'model' | 'key' | 'team'

/** So many names of each kind have lines of their own within a minute, in the order in which they come. */
const mostNames = 16

/** The sums of one kind: by name, of what has no name, and of names beyond those. */
export interface MinuteLines {
  readonly names: Map<string, MinuteSums>
  readonly none: MinuteSums
  readonly other: MinuteSums
}

/** What ended within one minute. */
export class Minute {
  readonly all = new MinuteSums()
  readonly model: MinuteLines = emptyLines()
  readonly key: MinuteLines = emptyLines()
  readonly team: MinuteLines = emptyLines()

  add(event: EndEvent, teamTag: string): void {
    this.all.add(event)
    lineOf(this.model, event.model).add(event)
    lineOf(this.key, event.principal?.id).add(event)
    lineOf(this.team, teamOf(event.principal, teamTag)).add(event)
  }
}

function emptyLines(): MinuteLines {
  return { names: new Map(), none: new MinuteSums(), other: new MinuteSums() }
}

function lineOf({ names, none, other }: MinuteLines, given: string | undefined): MinuteSums {
  if (given === undefined) return none
  const name = shownText(given)
  const known = names.get(name)
  if (known !== undefined) return known
  if (names.size === mostNames) return other
  const fresh = new MinuteSums()
  names.set(name, fresh)
  return fresh
}
