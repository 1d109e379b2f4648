import { ConfigurationError, type HookContext } from '@sluice/core'
import { describe, expect, it } from 'vitest'
import { type SystemPromptOptions, systemPrompt } from '../src/index.ts'
import { complete, errorOf, serving } from './support/serving.ts'

const user = { role: 'user', content: 'Hi' }

function prompting(...given: Parameters<typeof systemPrompt>) {
  return serving(() => complete('Hello'), { hooks: [systemPrompt(...given)] })
}

describe('systemPrompt', () => {
  it.each<[string, SystemPromptOptions['position'], object[], object[]]>([
    ['alone', 'before', [user], [{ role: 'system', content: 'Be brief.' }, user]],
    ['alone', 'after', [user], [{ role: 'system', content: 'Be brief.' }, user]],
    [
      'before another one',
      'before',
      [{ role: 'system', content: 'Own' }, user],
      [{ role: 'system', content: 'Be brief.' }, { role: 'system', content: 'Own' }, user],
    ],
    [
      'after another one, in its role',
      'after',
      [{ role: 'developer', content: 'Own' }, user, user],
      [{ role: 'developer', content: 'Own' }, { role: 'developer', content: 'Be brief.' }, user, user],
    ],
  ])('adds a message: %s (%s)', async (_, position, messages, expected) => {
    const { post, inputs, ends } = prompting('Be brief.', { position: position! })
    expect((await post('chat/completions', { messages })).status).toBe(200)
    expect(inputs[0]!.messages).toEqual(expected)
    expect(ends()[0]!.trace.hooks).toMatchObject([{ name: 'system-prompt', outcome: 'changed' }])
  })

  it.each<[unknown, SystemPromptOptions['position'], string]>([
    [undefined, 'before', 'Be brief.'],
    ['Own', 'before', 'Be brief.\n\nOwn'],
    ['Own', 'after', 'Own\n\nBe brief.'],
    [[{ type: 'text', text: 'Own' }], 'before', 'Be brief.\n\nOwn'],
    [[{ type: 'text', text: 'Own' }], 'after', 'Own\n\nBe brief.'],
  ])('adds to system: %j (%s)', async (system, position, expected) => {
    const { post, inputs } = prompting('Be brief.', { position: position! })
    const response = await post('messages', { max_tokens: 9, system, messages: [user] })
    expect(response.status).toBe(200)
    const { role, content } = inputs[0]!.messages[0] as { role: string; content: string | { text: string }[] }
    expect(role).toBe('system')
    expect(typeof content === 'string' ? content : content.map(({ text }) => text).join('')).toBe(expected)
  })

  it('adds to the instructions of a conversation, and not to what is stored of it', async () => {
    const { post, inputs } = prompting('Be brief.', { position: 'after' })
    const first = (await (await post('responses', { input: 'Hi', instructions: 'Own' })).json()) as {
      id: string
    }
    expect(inputs[0]!.messages).toEqual([{ role: 'system', content: 'Own\n\nBe brief.' }, user])
    const next = await post('responses', {
      input: 'Again',
      instructions: null,
      previous_response_id: first.id,
    })
    expect(next.status).toBe(200)
    expect(inputs[1]!.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      user,
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: 'Again' },
    ])
  })

  it('asks a function for the text of each request', async () => {
    const { say, inputs } = prompting(({ principal }: HookContext) =>
      principal.id === 'bob' ? Promise.resolve('For Bob.') : undefined,
    )
    await say('Hi')
    await say('Hi', {}, { 'x-who': 'bob' })
    expect(inputs.map(({ messages }) => messages)).toEqual([
      [user],
      [{ role: 'system', content: 'For Bob.' }, user],
    ])
  })

  it('fails with a function that does', async () => {
    const failing = () => Promise.reject(new Error('secret'))
    const { say } = prompting(failing)
    expect(await errorOf(await say('Hi'))).toMatchObject({
      type: 'server_error',
      message: expect.not.stringContaining('secret'),
    })
    expect((await prompting(failing, { onFailure: 'open' }).say('Hi')).status).toBe(200)
    expect((await prompting(() => 7 as never).say('Hi')).status).toBe(500)
  })

  it('leaves an invalid body to the validation of the gateway', async () => {
    const { post, warnings } = prompting('Be brief.')
    const bodies: [string, object][] = [
      ['chat/completions', { messages: 7 }],
      ['chat/completions', { messages: [null] }],
      ['messages', { max_tokens: 9, system: 7, messages: [user] }],
      ['messages', { max_tokens: 9, system: null, messages: 7 }],
      ['responses', { instructions: {}, input: 'Hi' }],
    ]
    for (const [path, body] of bodies) expect([path, (await post(path, body)).status]).toEqual([path, 400])
    expect(warnings()).toEqual([])
  })

  it('is checked', () => {
    expect(() => systemPrompt('')).toThrow(TypeError)
    expect(() => systemPrompt('x', { position: 'middle' as never })).toThrow(ConfigurationError)
  })
})
