import { describe, expect, it } from 'vitest'
import { otherDraft } from '../../test/support/other-draft.ts'
import { a, b, c, draftOf, modelsOf, watching } from '../../test/support/scripted-places.ts'
import type { Outline, OutlineMedia } from '../contracts/outline.ts'
import type { JsonObject } from '../protocol/chat.ts'
import {
  allOf,
  anyOf,
  bodyLargerThan,
  hasMedia,
  hasTag,
  hasTools,
  modelMatches,
  noneOf,
  promptLongerThan,
  type RouteCondition,
  when,
} from './conditions.ts'

const context = watching({ principal: { id: 'ann', tags: { team: 'search', beta: '' } } }).context
const says = (condition: RouteCondition, body: JsonObject = {}) =>
  condition(draftOf(body, 'acme-large'), context)
const saying = (...content: JsonObject[]) => ({ messages: [{ role: 'user', content }] })

describe('when', () => {
  it('gives one entry or the other, and tells of the places that are not asked', () => {
    const route = when(hasMedia('image'), [a, c], [b, c])
    const { context: other, skipped } = watching()
    expect(modelsOf(route, other, draftOf(saying({ type: 'image_url' })))).toEqual(['a', 'c'])
    expect(modelsOf(route, other)).toEqual(['b', 'c'])
    expect(skipped).toEqual([
      ['b', 'not_chosen'],
      ['a', 'not_chosen'],
    ])
    expect(route.targets()).toEqual([a, c, b, c])
  })

  it('takes nothing but yes or no for an answer', () => {
    expect(() => modelsOf(when((async () => true) as never, a, b))).toThrow(
      /returned object, expected true or false/,
    )
  })

  it.each([
    [[true, a, b], /when\(\): \[0\]: got .*, expected a condition/],
    [[hasMedia, a], /otherwise: got undefined, expected a target/],
    [[() => true, [], b], /use: got an empty list/],
  ])('refuses %o', (given, message) => {
    expect(() => (when as (...all: unknown[]) => unknown)(...given)).toThrow(message)
  })
})

describe('conditions', () => {
  it('look at the name that was asked for', () => {
    expect(says(modelMatches('other', 'acme-*'))).toBe(true)
    expect(says(modelMatches('acme'))).toBe(false)
  })

  it('look at the tags of the caller', () => {
    expect(says(hasTag('team'))).toBe(true)
    expect(says(hasTag('beta'))).toBe(true)
    expect(says(hasTag('team', 'ads', 'search'))).toBe(true)
    expect(says(hasTag('team', 'ads'))).toBe(false)
    expect(says(hasTag('constructor'))).toBe(false)
    expect(hasTag('team')(draftOf(), watching().context)).toBe(false)
  })

  it('look at the size', () => {
    const { bytes } = draftOf({}, 'acme-large')
    expect(says(bodyLargerThan(bytes))).toBe(false)
    expect(says(bodyLargerThan(bytes - 1))).toBe(true)
    const text = saying({ type: 'text', text: 'x'.repeat(4_000) })
    expect(says(promptLongerThan(990), text)).toBe(true)
    expect(says(promptLongerThan(1_100), text)).toBe(false)
    const image = saying({
      type: 'image_url',
      image_url: { url: `data:image/png;base64,${'A'.repeat(90_000)}` },
    })
    expect(says(promptLongerThan(2_000), image)).toBe(false)
  })

  it('look at tools and at what messages hold', () => {
    expect(says(hasTools)).toBe(false)
    expect(says(hasTools, { tools: [] })).toBe(false)
    expect(says(hasTools, { tools: [{}] })).toBe(true)
    expect(says(hasTools, { functions: [{}] })).toBe(true)
    expect(says(hasMedia('audio'), saying({ type: 'text' }, { type: 'input_audio' }))).toBe(true)
    expect(says(hasMedia('image', 'file'), saying({ type: 'input_audio' }))).toBe(false)
    expect(says(hasMedia(), saying({ type: 'file' }))).toBe(true)
    expect(says(hasMedia('video'), saying({ type: 'video_url' }))).toBe(true)
    expect(says(hasMedia('file'), saying({ type: 'document_url' }))).toBe(true)
    expect(says(hasMedia('file'), saying({ type: 'file_url' }))).toBe(true)
    expect(says(hasMedia('audio'), saying({ type: 'audio_url' }))).toBe(true)
    expect(says(hasMedia('image', 'audio', 'file'), saying({ type: 'video_url' }))).toBe(false)
  })

  it.each([
    null,
    7,
    'x',
    {},
    [null],
    [7],
    [{ content: null }],
    [{ content: 'x' }],
    [{ content: [null, 'x', {}] }],
  ])('say no of a body that nobody has looked at: %j', messages => {
    expect(says(hasMedia(), { messages })).toBe(false)
    expect(says(hasTools, { tools: messages === null ? null : 'x' })).toBe(false)
  })

  it('read the outline of a request and nothing of its body, in whatever protocol it is', () => {
    const holds = (condition: RouteCondition, known: Partial<Outline> = {}) =>
      condition(otherDraft(known, { bytes: 3_000 }), context)
    const media = (kind: OutlineMedia['kind'], tokens = 0, inlineBytes = 0) => ({
      media: [{ kind, tokens, inlineBytes }],
    })
    expect([holds(hasTools), holds(hasTools, { hasTools: true })]).toEqual([false, true])
    expect([holds(hasMedia()), holds(hasMedia('image')), holds(hasMedia('file'))]).toEqual([
      false,
      false,
      false,
    ])
    expect(holds(hasMedia(), media('audio'))).toBe(true)
    expect(holds(hasMedia('audio', 'image'), media('audio'))).toBe(true)
    expect(holds(hasMedia('image', 'file'), media('audio'))).toBe(false)
    const longerThan = (known: Partial<Outline>) =>
      [749, 750, 751].map(tokens => holds(promptLongerThan(tokens), known))
    expect(longerThan({})).toEqual([true, false, false])
    expect(longerThan(media('image', 1_000, 3_000))).toEqual([true, false, false])
    expect(longerThan({ promptTokens: 751 })).toEqual([true, true, false])
  })

  it('are put together', () => {
    const [yes, no] = [() => true, () => false]
    expect([says(allOf(yes, yes)), says(allOf(yes, no))]).toEqual([true, false])
    expect([says(anyOf(no, yes)), says(anyOf(no, no))]).toEqual([true, false])
    expect([says(noneOf(no, no)), says(noneOf(no, yes))]).toEqual([true, false])
    expect(() => says(noneOf((async () => false) as never))).toThrow(/returned object/)
  })

  it.each([
    [() => (modelMatches as () => unknown)(), /modelMatches\(\): got .*, expected patterns/],
    [() => modelMatches(''), /modelMatches\(\)/],
    [() => hasTag(''), /hasTag\(\): got .*, expected a tag/],
    [() => bodyLargerThan(0), /bodyLargerThan\(\): bytes: got 0/],
    [() => promptLongerThan('9' as never), /promptLongerThan\(\): tokens: got '9'/],
    [() => hasMedia('text' as never), /got 'text', expected 'image', 'audio', 'file' or 'video'/],
    [() => allOf(), /allOf\(\): got an empty list/],
    [() => anyOf(true as never), /anyOf\(\): \[0\]: got true, expected a condition/],
    [() => noneOf(undefined as never), /noneOf\(\): \[0\]: got undefined, expected a condition/],
  ])('refuse what says nothing: %s', (make, message) => {
    expect(make).toThrow(message)
    expect(make).toThrow(TypeError)
  })
})
