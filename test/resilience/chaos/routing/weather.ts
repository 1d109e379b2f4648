import type { RoutingPlan } from './routing-plan.ts'

/**
 * What an upstream does. `well` answers; `slow` does so late; `dead` takes no connection; `refusing` answers 503;
 * `limiting` 429; `lying` answers 200 with something that is no completion; `cutting` breaks off in the middle.
 */
export type Mood = 'well' | 'slow' | 'dead' | 'refusing' | 'limiting' | 'lying' | 'cutting'

/** A time in which each upstream stays as it is. */
export interface Spell {
  /** From the start of the run. */
  readonly from: number
  readonly to: number
  readonly moods: readonly [Mood, Mood, Mood]
}

const bad: readonly Mood[] = ['slow', 'dead', 'refusing', 'limiting', 'lying', 'cutting']
/** What no answer comes of, not even late or in part. */
const deadly: readonly Mood[] = ['dead', 'refusing', 'lying']

/**
 * The spells of a run. In each at least one upstream is well, but for the outages, in which none gives an answer. After an
 * outage all are well, so that it can be seen how soon each is asked again.
 */
export function weather(plan: RoutingPlan, random: () => number): Spell[] {
  const pick = (moods: readonly Mood[]): Mood => moods[Math.floor(random() * moods.length)] ?? 'well'
  const spells: Spell[] = []
  const [least, most] = plan.spellMs
  for (let from = 0; from < plan.ms; ) {
    const place = spells.length % plan.outageEvery
    const outage = place === plan.outageEvery - 2
    const after = place === plan.outageEvery - 1
    const to = Math.min(plan.ms, from + least + random() * (most - least))
    const well = Math.floor(random() * 3)
    const mood = (at: number): Mood =>
      after || (!outage && at === well) ? 'well' : outage ? pick(deadly) : random() < 0.3 ? 'well' : pick(bad)
    spells.push({ from, to, moods: [mood(0), mood(1), mood(2)] })
    from = to
  }
  return spells
}

/** Whether no upstream gives an answer. */
export function isOutage({ moods }: Spell): boolean {
  return moods.every(mood => deadly.includes(mood))
}
