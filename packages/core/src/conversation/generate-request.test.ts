import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '../protocol/chat.ts'
import { ChatGenerateRequest } from './chat-generate-request.ts'
import { TurnsGenerateRequest } from './turns-generate-request.ts'
import { turnsOf } from './turns-of.ts'

const input: ChatRequest = {
  model: 'm',
  messages: [{ role: 'user', content: 'Hi' }],
  temperature: 1,
  stream: true,
}

describe('a request in chat completions', () => {
  const request = new ChatGenerateRequest(input, { model: 'm' })

  it('is its own settings and chat request, and computes its turns once', () => {
    expect(request).toMatchObject({ dialect: 'chat', model: 'm', stream: true, body: { model: 'm' } })
    expect(request.chat()).toBe(input)
    expect(request.settings()).toBe(input)
    expect(request.turns()).toBe(request.turns())
    expect(request.losses()).toEqual([])
    expect(request.pathOf('messages[0].content')).toBe('messages[0].content')
  })

  it('keeps its conversation with other settings', () => {
    const changed = { ...input, temperature: 0 }
    const other = request.withSettings(changed)
    expect(other.chat()).toBe(changed)
    expect(other.turns()).toBe(request.turns())
    const { messages, ...settings } = changed
    const plain = request.withSettings(settings).withSettings(settings)
    expect(plain.chat()).toEqual(changed)
    expect(plain.chat().messages).toBe(messages)
    expect(plain.turns()).toBe(request.turns())
    expect(request.chat()).toBe(input)
  })
})

describe('a request in another dialect', () => {
  const turns = [
    {
      role: 'user',
      path: 'input[0]',
      parts: [{ kind: 'text', text: 'Hi', path: 'input[0].content[0]' }],
    },
    { role: 'assistant', path: 'input[1]', parts: [{ kind: 'sealed', family: 'f', value: '', path: 'x' }] },
  ] as const
  const renamed = {
    max_completion_tokens: 'max_output_tokens',
    reasoning_effort: 'reasoning.effort',
    'tools[].function': 'tools[]',
    messages: 'input',
  }
  const request = new TurnsGenerateRequest({
    dialect: 'responses',
    body: { model: 'm' },
    settings: { model: 'm', temperature: 1 },
    turns,
    renamed,
  })

  it('makes its chat request once', () => {
    expect(request).toMatchObject({ dialect: 'responses', model: 'm', stream: false })
    expect(request.chat()).toEqual({
      model: 'm',
      temperature: 1,
      messages: [{ role: 'user', content: 'Hi' }],
    })
    expect(request.chat()).toBe(request.chat())
    expect(request.turns()).toBe(turns)
    expect(request.losses()).toMatchObject([{ path: 'x', kind: 'hint' }])
  })

  it.each([
    ['temperature', 'temperature'],
    ['max_completion_tokens', 'max_output_tokens'],
    ['reasoning_effort', 'reasoning.effort'],
    ['tools[12].function.parameters.properties', 'tools[12].parameters.properties'],
    ['tools[0].type', 'tools[0].type'],
    ['tools', 'tools'],
    ['messages', 'input'],
    ['messages[0].content', 'input[0].content[0]'],
    ['messages[0]', 'input[0]'],
    ['constructor', 'constructor'],
    ['', ''],
  ])('names %s as the caller does: %s', (path, name) => {
    expect(request.pathOf(path)).toBe(name)
  })

  it('names a path of any length in linear time', () => {
    for (const below of ['.a'.repeat(50_000), '[0]'.repeat(50_000)]) {
      const from = performance.now()
      expect(request.pathOf(`tools[0].function.parameters${below}`)).toBe(`tools[0].parameters${below}`)
      expect(performance.now() - from).toBeLessThan(500)
    }
  })

  it('keeps its conversation with other settings', () => {
    const other = request.withSettings({ model: 'm', temperature: 0 })
    expect(other.chat()).toMatchObject({ temperature: 0 })
    expect(other.chat().messages).toBe(request.chat().messages)
    expect(other.pathOf('max_completion_tokens')).toBe('max_output_tokens')
    expect(turnsOf({ input: other.chat(), request: other })).toBe(turns)
  })
})

describe('turnsOf', () => {
  it('returns the turns of the request, or of the messages without one', () => {
    const request = new ChatGenerateRequest(input, {})
    expect(turnsOf({ input, request })).toBe(request.turns())
    expect(turnsOf({ input })).toEqual(request.turns())
  })

  it('returns the messages that a provider replaced', () => {
    const request = new ChatGenerateRequest(input, {})
    const replaced = { ...input, messages: [{ role: 'user', content: 'Bye' }] } as const
    expect(turnsOf({ input: replaced, request })).toMatchObject([{ parts: [{ text: 'Bye' }] }])
  })
})
