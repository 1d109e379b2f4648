import { expect, it } from 'vitest'
import { chatDraft } from '../../test/support/chat-draft.ts'
import { scriptedContext } from '../../test/support/scripted-context.ts'
import type { Target } from '../contracts/provider.ts'
import { isTarget } from '../validation/is-target.ts'
import { route } from './route.ts'

const draft = chatDraft()
const context = scriptedContext({ id: 'ann' })
const provider = { name: 'p', encode: () => {}, decode: () => {} } as unknown as Target['provider']
const target: Target = { provider, model: 'upstream-m' }

it('gives the targets as they came, and asks with the draft and what surrounds it', async () => {
  const targets = [target, { ...target, model: 'other' }]
  const asked: unknown[] = []
  const answer = await route(draft, context, (...given) => {
    asked.push(...given)
    return targets
  })
  expect(answer).toBe(targets)
  expect(asked).toEqual([draft, context])
})

it('C32 refuses a model that nobody answers', async () => {
  await expect(route(draft, context, () => [])).rejects.toMatchObject({
    status: 404,
    reason: 'model_not_found',
    message: expect.stringContaining('`m`'),
  })
})

const odd: unknown[] = [
  ...[null, undefined, 'm', {}, { model: 'm' }, { provider: null, model: 'm' }, { ...target, model: 7 }],
  ...[{ provider }, { provider: { ...provider, encode: 1 }, model: 'm' }],
  { provider: { name: 'p', encode: () => {} }, model: 'm' },
]
it.each(odd)('takes %j for no target', async value => {
  expect(isTarget(value)).toBe(false)
  await expect(route(draft, context, () => [target, value] as Target[])).rejects.toThrow(
    /expected an array of targets/,
  )
})

it.each([undefined, null, 'm', target, { length: 1, 0: target }])('takes %j for no list', async value => {
  await expect(route(draft, context, () => value as never)).rejects.toThrow(
    new TypeError('route returned an invalid value: expected an array of targets { provider, model }.'),
  )
})
