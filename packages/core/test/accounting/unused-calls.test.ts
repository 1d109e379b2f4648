import { describe, expect, it } from 'vitest'
import { batchedLedger } from '../../src/accounting/batched-ledger.ts'
import type { DiscardedCallEvent } from '../../src/contracts/events.ts'
import type { LedgerClosing } from '../../src/contracts/ledger.ts'
import type { Target } from '../../src/contracts/provider.ts'
import type { RoutedTarget } from '../../src/contracts/route.ts'
import { UpstreamError } from '../../src/errors/upstream-error.ts'
import { forever, scripted, serving, whole } from '../support/scripted-gateway.ts'
import { scriptedLedger } from '../support/scripted-ledger.ts'
import { ScriptedRows } from '../support/scripted-rows.ts'

const answers = () => scripted(() => whole('Hi.'))
const refuses = () =>
  scripted(() => {
    throw new UpstreamError('no', { kind: 'refused', status: 500 })
  })

/** A model that answers, and a shadow of it. */
const withShadow = (shadow: Target): RoutedTarget => ({ ...answers().target, shadows: [shadow] })

/** A ledger that keeps calls that nobody got, and what it was given of them. */
function booked(unused: (closing: LedgerClosing) => void | Promise<void> = () => {}) {
  const closings: LedgerClosing[] = []
  const ledger = {
    ...scriptedLedger(),
    recordDiscarded: (closing: LedgerClosing) => {
      closings.push(closing)
      return unused(closing)
    },
  }
  return { ledger, closings }
}

describe('a gateway and calls that nobody got, in its ledger', () => {
  it('keeps a shadow beside its request, which is not charged for it', async () => {
    const { ledger, closings } = booked()
    const model = withShadow({ ...answers().target, model: 'other' })
    const { post, gateway, ends, events } = serving(model, { ledger, prices: () => 0.5 })
    expect((await post({})).status).toBe(200)
    await gateway.close()
    expect(closings).toMatchObject([
      {
        entry: { kind: 'shadow', principal: 'ann', model: 'm', openedAt: ledger.entries[0]?.openedAt },
        outcome: 'completed',
        upstreamModel: 'other',
        charge: { promptTokens: 3, completionTokens: 2, cost: 0.5 },
        estimated: false,
      },
    ])
    expect(closings[0]?.entry.requestId).toBe(ledger.entries[0]?.requestId)
    expect(closings[0]?.entry.id).not.toBe(ledger.entries[0]?.id)
    expect(ledger.entries).toHaveLength(1)
    expect(ledger.closings).toMatchObject([{ charge: { promptTokens: 3, cost: 0.5 } }])
    expect(ends()).toMatchObject([{ cost: 0.5 }])
    expect(events.filter(({ type }) => type === 'discarded_call')).toHaveLength(1)
  })

  it('keeps the loser of a hedge, as an estimate', async () => {
    const { ledger, closings } = booked()
    const slow = scripted(signal => forever(signal))
    const targets = [
      { ...slow.target, hedgeAfterMs: 5 },
      { ...answers().target, model: 'quick' },
    ]
    const { post, gateway } = serving(targets, { ledger })
    expect((await post({})).status).toBe(200)
    await gateway.close()
    expect(closings).toMatchObject([
      {
        entry: { kind: 'hedge' },
        outcome: 'client_disconnected',
        upstreamModel: 'upstream-model',
        estimated: true,
      },
    ])
    expect(ledger.closings).toMatchObject([{ upstreamModel: 'quick' }])
  })

  it('keeps none that cost nothing, for its upstream refused', async () => {
    const { ledger, closings } = booked()
    const { post, gateway, events } = serving(withShadow(refuses().target), { ledger })
    expect((await post({})).status).toBe(200)
    await gateway.close()
    expect(events.some(({ type }) => type === 'discarded_call')).toBe(true)
    expect(closings).toEqual([])
  })

  it('is waited for when it closes, and fails no answer where it cannot be kept', async () => {
    let keep = () => {}
    const kept = new Promise<void>(resolve => {
      keep = resolve
    })
    const { ledger, closings } = booked(() => kept.then(() => Promise.reject(new Error('rows'))))
    const model = withShadow(answers().target)
    const { post, gateway, events } = serving(model, { ledger })
    expect((await post({})).status).toBe(200)
    let closed = false
    const closing = gateway.close().then(() => {
      closed = true
    })
    await expect.poll(() => closings).toHaveLength(1)
    expect(closed).toBe(false)
    keep()
    await closing
    expect(events.filter(({ type }) => type === 'store')).toMatchObject([
      { store: 'ledger', state: 'failing' },
    ])
  })

  it('asks nothing of a ledger that does not keep them', async () => {
    const ledger = scriptedLedger()
    const { post, gateway } = serving(withShadow(answers().target), { ledger })
    expect((await post({})).status).toBe(200)
    await gateway.close()
    expect(ledger.heard).toEqual(['open', 'close', 'flush'])
  })

  it('cannot be changed by who is told of them', async () => {
    const { ledger, closings } = booked()
    const { post, gateway } = serving(withShadow(answers().target), {
      ledger,
      observe: event => {
        if (event.type === 'discarded_call')
          Object.assign(event as { cost: unknown }, { cost: 99 } satisfies Partial<DiscardedCallEvent>)
      },
    })
    await post({})
    await gateway.close()
    expect(closings).toMatchObject([{ charge: { cost: null } }])
  })

  it('reaches the table of a kept ledger as one row of its kind', async () => {
    const rows = new ScriptedRows()
    const model = withShadow(answers().target)
    const { post, gateway } = serving(model, { ledger: batchedLedger(rows) })
    expect((await post({})).status).toBe(200)
    await gateway.close()
    const kinds = [...rows.records.values()].map(({ entry, closing }) => [entry.kind, closing?.outcome])
    expect(kinds).toHaveLength(2)
    expect(kinds).toEqual(
      expect.arrayContaining([
        ['shadow', 'completed'],
        [undefined, 'completed'],
      ]),
    )
  })
})
