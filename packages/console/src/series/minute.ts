import type { EndEvent, Principal } from '@sluice/core'
import { teamOf } from '../recent/team-of.ts'
import { truncateText } from '../recent/truncate-text.ts'
import { MinuteSums, type MinuteSumsSnapshot } from './minute-sums.ts'

/** What a line is grouped by. */
export type LineKind = 'model' | 'key' | 'team'

/** So many names of each kind have lines of their own within a minute, in the order in which they come. */
const maxNames = 16

/** The sums of one kind: by name, of what has no name, and of names beyond those. */
export interface MinuteLines {
  readonly names: Map<string, MinuteSums>
  readonly none: MinuteSums
  readonly other: MinuteSums
}

interface LinesSnapshot {
  readonly names: readonly (readonly [string, MinuteSumsSnapshot])[]
  readonly none: MinuteSumsSnapshot
  readonly other: MinuteSumsSnapshot
}

/** A minute as a value of JSON. */
export type MinuteSnapshot = { readonly all: MinuteSumsSnapshot } & Readonly<Record<LineKind, LinesSnapshot>>

/** What ended within one minute. */
export class Minute {
  readonly all = new MinuteSums()
  readonly model: MinuteLines = emptyLines()
  readonly key: MinuteLines = emptyLines()
  readonly team: MinuteLines = emptyLines()

  add(event: EndEvent, teamTag: string): void {
    this.all.add(event)
    lineOf(this.model, event.model === undefined ? undefined : truncateText(event.model)).add(event)
    lineOf(this.key, event.principal && callerText(event.principal)).add(event)
    const team = teamOf(event.principal, teamTag)
    lineOf(this.team, team === undefined ? undefined : truncateText(team)).add(event)
  }

  snapshot(): MinuteSnapshot {
    const lines = ({ names, none, other }: MinuteLines): LinesSnapshot => ({
      names: [...names].map(([name, sums]) => [name, sums.snapshot()] as const),
      none: none.snapshot(),
      other: other.snapshot(),
    })
    return {
      all: this.all.snapshot(),
      model: lines(this.model),
      key: lines(this.key),
      team: lines(this.team),
    }
  }

  addSnapshot(minute: MinuteSnapshot): void {
    this.all.addSnapshot(minute.all)
    for (const kind of ['model', 'key', 'team'] as const) {
      const { names, none, other } = minute[kind]
      for (const [name, sums] of names) lineOf(this[kind], name).addSnapshot(sums)
      this[kind].none.addSnapshot(none)
      this[kind].other.addSnapshot(other)
    }
  }
}

/** A source has no space: the first one separates it from the id. */
function callerText({ id, source = '' }: Principal): string {
  return `${truncateText(source)} ${truncateText(id)}`
}

/** Returns the id and the source of the caller that a line is for. */
export function callerOf(text: string): { readonly name: string; readonly source?: string } {
  const at = text.indexOf(' ')
  const name = text.slice(at + 1)
  return at === 0 ? { name } : { name, source: text.slice(0, at) }
}

function emptyLines(): MinuteLines {
  return { names: new Map(), none: new MinuteSums(), other: new MinuteSums() }
}

function lineOf({ names, none, other }: MinuteLines, name: string | undefined): MinuteSums {
  if (name === undefined) return none
  const known = names.get(name)
  if (known !== undefined) return known
  if (names.size === maxNames) return other
  const fresh = new MinuteSums()
  names.set(name, fresh)
  return fresh
}
