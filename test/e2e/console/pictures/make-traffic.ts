import { steps, usage } from '@sluice/testing'
import type { ConsoleService } from '../site/service.ts'

/** An hour's worth of requests: fallbacks, hedges, failures, two teams. `at` sets the clock, in minutes before now. */
export async function makeTraffic(
  { ask, keys, north }: ConsoleService,
  at: (minutesAgo: number) => void,
): Promise<void> {
  north.respondWith(
    steps.answer({
      text: 'It holds water back, and lets it through where it is wanted.',
      usage: usage(420, 96),
    }),
  )
  const search = await keys.issue({
    name: 'Search service',
    models: ['small-chat', 'demo'],
    tags: { team: 'search' },
    limits: [
      { kind: 'requests', limit: 600, per: 'minute' },
      { kind: 'budget', limit: 20, per: 'day', currency: 'usd' },
    ],
  })
  const ann = await keys.issue({ name: "Ann's notebook", tags: { team: 'research' } })
  const old = await keys.issue({ name: 'Nightly summaries', models: ['small-*'], tags: { team: 'search' } })
  await keys.rotate(ann.stored.id, { overlapMs: 86_400_000 })
  await keys.update(old.stored.id, { disabled: true })
  const callers = [search.key, ann.key, undefined] as const
  for (let ago = 54; ago >= 0; ago -= 2) {
    at(ago)
    const key = callers[(ago / 2) % 3]
    const by = key === undefined ? {} : { key }
    const busy = 1 + Math.round(2 + 2 * Math.sin(ago / 7))
    for (let round = 0; round < busy; round++) await ask('small-chat', { ...by, stream: true })
    await ask('demo', { ...by, content: `What is ${ago} times 12, and why does it matter to a sluice?` })
    if (ago % 18 === 4) await ask('broken')
    // Two callers: with one of them alone, the fault may be its own.
    if (ago % 18 === 6) await ask('broken', { key: ann.key })
    if (ago % 6 === 2) await ask('large-chat', { key: ann.key, stream: true })
  }
  at(0)
  await ask('large-chat', { stream: true })
}
