import { describe, expect, it } from 'vitest'
import type { Hook } from '../../src/contracts/hook.ts'
import { scripted, serving, whole } from '../support/scripted-gateway.ts'

/** Hides a name from the model, and puts it back. */
const mask: Hook = {
  name: 'mask',
  holdBack: 1,
  onRequest: ({ texts }) => ({
    edits: texts.map(({ path, text }) => ({ path, value: text.replaceAll('Ann', '#') })),
  }),
  onChunk: ({ text }) => ({
    replacements: [...text.matchAll(/#/g)].map(({ index }) => ({
      start: index,
      end: index + 1,
      text: 'Ann',
    })),
  }),
}

describe('hooks that change a conversation', () => {
  it('change the stored part and the new one, and the key of the conversation stays', async () => {
    const { target, inputs } = scripted(() => whole('Hi #'))
    const keys: unknown[] = []
    const watch: Hook = {
      name: 'watch',
      onRequest: ({ outline }) =>
        void keys.push([outline.conversationKey, outline.user, outline.hasTools]) as undefined,
    }
    const { gateway } = serving(target, { hooks: [watch, mask, { ...watch, name: 'again' }] })
    const post = (body: object) =>
      gateway.fetch('http://sluice.test/v1/responses', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', user: 'u', ...body }),
      })
    const first = (await (await post({ input: 'I am Ann' })).json()) as { id: string; output: unknown }
    expect(JSON.stringify(first.output)).toContain('Hi Ann')
    const second = await post({ input: 'Who is Ann?', previous_response_id: first.id })
    expect([second.status, await second.json()]).toEqual([200, expect.anything()])
    expect(inputs[1]!.messages).toEqual([
      { role: 'user', content: 'I am #' },
      { role: 'assistant', content: 'Hi #' },
      { role: 'user', content: 'Who is #?' },
    ])
    expect(keys[2]).toEqual([first.id, 'u', false])
    expect(keys[3]).toEqual(keys[2])
  })

  it('show the model what it wrote when it is called again, and not what was put back', async () => {
    const { target, inputs } = scripted(() => whole('Hi #'))
    const again: Hook = {
      name: 'again',
      onResponse: ({ isRetry }) => (isRetry ? undefined : { retry: { message: 'Once more.' } }),
    }
    const { post } = serving(target, { hooks: [mask, again] })
    const response = await post({ messages: [{ role: 'user', content: 'I am Ann' }] })
    expect(await response.text()).toContain('Hi Ann')
    expect(inputs[1]!.messages).toEqual([
      { role: 'user', content: 'I am #' },
      { role: 'assistant', content: 'Hi #' },
      { role: 'user', content: 'Once more.' },
    ])
  })
})
