import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatDraft } from '../../test/support/chat-draft.ts'
import { otherDraft } from '../../test/support/other-draft.ts'
import type { Outline } from '../contracts/outline.ts'
import type { Target } from '../contracts/provider.ts'
import type { JsonObject, Usage } from '../protocol/chat.ts'
import { priceTable } from './price-table.ts'
import { estimateTokens, nanoDollars, reservationOf, reservedMoney, reservedTokens } from './reservation.ts'

const reserved = (fields: JsonObject) =>
  reservationOf(chatDraft({ body: { model: 'm', ...fields }, bytes: 300 }), 4_096)
const target = (model: string): Target => ({
  model,
  provider: {
    name: 'p',
    encode: () => ({ method: 'POST', url: 'p:', headers: {} }),
    decode: () => Promise.reject(),
  },
})

describe('what is reserved', () => {
  it.each([-100_000, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '9' as unknown as number])(
    'takes a count of %s in an outline as absent',
    value => {
      const draft = otherDraft({ maxOutputTokens: value, choices: value, promptTokens: value })
      expect(reservationOf(draft, 4_096)).toMatchObject({
        promptTokens: 100,
        completionTokens: 4_096,
        maxOutputTokens: 4_096,
      })
      expect(estimateTokens(draft)).toBe(75)
    },
  )

  it.each([
    [{}, 4_096, 4_096],
    [{ max_tokens: 10 }, 10, 10],
    [{ max_completion_tokens: 20 }, 20, 20],
    [{ max_completion_tokens: 20, max_tokens: 30 }, 30, 30],
    [{ max_completion_tokens: 30, max_tokens: 20, n: 2 }, 30, 60],
    [{ max_tokens: 0 }, 0, 0],
    [{ n: 3 }, 4_096, 12_288],
    [{ n: 128, max_tokens: Number.MAX_SAFE_INTEGER }, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])('for %j is a bound of %d, %d in all', (fields, one, all) => {
    expect(reserved(fields)).toMatchObject({ promptTokens: 100, maxOutputTokens: one, completionTokens: all })
  })

  it.each<[JsonObject]>([
    [{ max_tokens: null, max_completion_tokens: null, n: null }],
    [{ max_tokens: -1, n: 0 }],
    [{ max_tokens: 1.5, n: 1.5 }],
    [{ max_tokens: '5', n: '9' }],
    [{ max_tokens: 1e300, n: 1e300 }],
    [{ max_tokens: [5], n: { n: 9 } }],
    [{ n: 129 }],
  ])('for %j is the default: it will be refused, or is none', fields => {
    expect(reserved(fields)).toMatchObject({
      promptTokens: 100,
      maxOutputTokens: 4_096,
      completionTokens: 4_096,
    })
  })

  it('is what the outline says, in whatever protocol the request is', () => {
    const outlined = (...given: Parameters<typeof otherDraft>) => reservationOf(otherDraft(...given), 4_096)
    expect(outlined()).toMatchObject({ promptTokens: 100, maxOutputTokens: 4_096, completionTokens: 4_096 })
    const known = { promptTokens: 7, choices: 2, maxOutputTokens: 30 }
    expect(outlined(known)).toMatchObject({ promptTokens: 7, maxOutputTokens: 30, completionTokens: 60 })
    expect(outlined({ promptTokens: 0 })).toMatchObject({ promptTokens: 1 })
    const media = [{ kind: 'file', tokens: 50, inlineBytes: 240 }] as const
    expect(outlined({ media })).toMatchObject({ promptTokens: 70 })
  })

  it.each(['embed', 'countTokens'] as const)('has no completion tokens for %s', operation => {
    const draft = otherDraft({ choices: 2, maxOutputTokens: 30 }, { operation })
    const reservation = reservationOf(draft, 4_096)
    expect(reservation).toMatchObject({ promptTokens: 100, maxOutputTokens: 0, completionTokens: 0 })
    expect(reservedTokens(reservation)).toEqual({ amount: 100, floor: 100 })
    expect(estimateTokens(draft)).toBe(75)
  })

  it('of tokens is prompt and completions, of which the prompt stays', () => {
    expect(reservedTokens(reserved({ n: 2, max_tokens: 50 }))).toEqual({ amount: 200, floor: 100 })
    const most = reservedTokens(reserved({ n: 128, max_tokens: Number.MAX_SAFE_INTEGER }))
    expect(most.amount).toBe(Number.MAX_SAFE_INTEGER)
  })

  it('of money is what the dearest target costs, in whole billionths, rounded up', () => {
    const prices: Record<string, number> = { cheap: 1e-6, dear: 3e-6 }
    const price = ({ prompt_tokens, completion_tokens }: Usage, { model }: Target) =>
      (prompt_tokens + 4 * completion_tokens) * (prices[model] ?? 0)
    const money = reservedMoney(reserved({ max_tokens: 50 }), {
      targets: [target('cheap'), target('dear')],
      price,
    })
    expect(money).toEqual({ amount: 900_000, floor: 300_000 })
    const free = reservedMoney(reserved({}), { targets: [target('free')], price })
    expect(free).toEqual({ amount: 0, floor: 0 })
    const tiny = reservedMoney(reserved({}), { targets: [target('any')], price: () => 1e-12 })
    expect(tiny).toEqual({ amount: 1, floor: 1 })
  })

  it.each<[string, JsonObject, number, number]>([
    ['what goes into a cache, where that is dearer', {}, 125 + 50 * 4, 100],
    ['audio that is asked for', { modalities: ['text', 'audio'] }, 125 + 50 * 8, 100],
    ['audio that is sent', { messages: [{ content: [{ type: 'input_audio' }] }] }, 21_000 + 50 * 4, 2_100],
    ['audio that was answered before', { messages: [{ audio: { id: 'a' } }] }, 1_000 + 50 * 4, 100],
  ])('of money is the price of %s', (_, fields, amount, floor) => {
    const price = priceTable({
      m: { input: 1, output: 4, cachedInput: 0.1, cacheWrite: 1.25, audioInput: 10, audioOutput: 8 },
    })
    const context = {
      targets: [target('m')],
      price: (usage: Usage, { model }: Target) =>
        price(usage, { operation: 'generate', model, provider: 'p', upstreamModel: model, at: 0 }),
    }
    const money = reservedMoney(reserved({ max_tokens: 50, ...fields }), context)
    expect(money).toEqual({ amount: amount * 1_000, floor: floor * 1_000 })
  })

  it.each<[Partial<Outline>, number]>([
    [{}, 125 + 50 * 4],
    [{ wantsAudio: true }, 125 + 50 * 8],
    [{ hasAudio: true }, 1_000 + 50 * 4],
  ])('of money is the price of audio that the outline has: %j', (known, amount) => {
    const price = priceTable({
      m: { input: 1, output: 4, cacheWrite: 1.25, audioInput: 10, audioOutput: 8 },
    })
    const context = {
      targets: [target('m')],
      price: (usage: Usage) =>
        price(usage, { operation: 'generate', model: 'm', provider: 'p', upstreamModel: 'm', at: 0 }),
    }
    const money = reservedMoney(reservationOf(otherDraft({ maxOutputTokens: 50, ...known }), 0), context)
    expect(money?.amount).toBe(amount * 1_000)
  })

  it('of money passes over what prices do not know of a cache and of audio', () => {
    const price = (usage: Usage) =>
      usage.prompt_tokens_details.cache_write_tokens === undefined ? 1e-6 : null
    expect(reservedMoney(reserved({}), { targets: [target('m')], price })).toEqual({
      amount: 1_000,
      floor: 1_000,
    })
  })

  it('of money is not known where one target has no price', () => {
    for (const none of [null, Number.NaN, -1, Number.POSITIVE_INFINITY, '1', undefined]) {
      const price = (_: Usage, { model }: Target) => (model === 'priced' ? 1 : (none as null))
      const context = { targets: [target('priced'), target('other')], price }
      expect(reservedMoney(reserved({}), context)).toBeUndefined()
    }
    expect(reservedMoney(reserved({}), { targets: [], price: () => 1 })).toBeUndefined()
  })

  it('of money is not known of a request for audio whose output has no price', () => {
    const price = priceTable({ m: { input: 1, output: 4 } })
    const context = {
      targets: [target('m')],
      price: (usage: Usage) =>
        price(usage, { operation: 'generate', model: 'm', provider: 'p', upstreamModel: 'm', at: 0 }),
    }
    expect(reservedMoney(reserved({ modalities: ['text', 'audio'] }), context)).toBeUndefined()
    expect(reservedMoney(reserved({ modalities: ['text'] }), context)).toBeDefined()
  })

  it('of money has no floor above its amount, whatever prices do', () => {
    const price = ({ completion_tokens }: Usage) => (completion_tokens > 0 ? 1 : 2)
    const money = reservedMoney(reserved({}), { targets: [target('m')], price })
    expect(money).toEqual({ amount: 1e9, floor: 1e9 })
  })
})

describe('nanoDollars', () => {
  it.each([
    [0, 0],
    [1, 1_000_000_000],
    [0.0125, 12_500_000],
    [0.1 + 0.2, 300_000_000],
    [1.2e-10, 1],
    [1.0001e-9, 2],
    [9_000_000, 9_000_000_000_000_000],
    [1e300, Number.MAX_SAFE_INTEGER],
  ])('of %d dollars are %d', (dollars, nanos) => {
    expect(nanoDollars(dollars)).toBe(nanos)
  })

  it('of a whole number of billionths are that number', () => {
    fc.assert(
      fc.property(fc.nat(1e12), nanos => {
        expect(nanoDollars(nanos / 1e9)).toBe(nanos)
      }),
    )
  })

  it('are never less than the dollars', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1_000, noNaN: true }), dollars => {
        expect(nanoDollars(dollars)).toBeGreaterThanOrEqual(dollars * 1e9 * (1 - 2 ** -49))
        expect(nanoDollars(dollars)).toBeLessThan(dollars * 1e9 + 1.001)
      }),
    )
  })
})
