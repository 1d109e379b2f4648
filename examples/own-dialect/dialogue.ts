import { GatewayError } from '@sluice/core'
import {
  type AnswerDelta,
  type Dialect,
  type Draft,
  type Turn,
  type TurnPart,
  TurnsGenerateRequest,
} from '@sluice/core/dialect'
import type { FinishReason, JsonObject, JsonValue, PartialMessage, Usage } from '@sluice/core/provider'

/** A made-up protocol: a dialogue is a list of lines, and actions are tools. */
export const dialogue: Dialect = {
  name: 'dialogue',
  operation: 'generate',
  path: '/dialogue',

  outline: body => ({
    stream: body.live === true,
    user: typeof body.for === 'string' ? body.for : undefined,
    conversationKey: undefined,
    hasTools: itemsOf(body.actions).length > 0,
    media: [],
    promptTokens: undefined,
    choices: 1,
    maxOutputTokens: typeof body.longest === 'number' ? body.longest : undefined,
    hasAudio: false,
    wantsAudio: false,
    serviceTier: undefined,
    searchesWeb: false,
  }),

  read: ({ model, body }: Draft) => {
    const stream = body.live === true
    const settings = {
      model,
      stream,
      ...(typeof body.for === 'string' && { user: body.for }),
      ...(body.longest !== undefined && { max_completion_tokens: countOf(body.longest, 'longest') }),
      ...(body.actions !== undefined && { tools: itemsOf(body.actions).map(toolOf) }),
    }
    const turns = itemsOf(body.lines).map(turnOf)
    if (turns.length === 0) throw invalid('lines', 'at least one line')
    const renamed = { max_completion_tokens: 'longest', tools: 'actions', user: 'for', stream: 'live' }
    const request = new TurnsGenerateRequest({ dialect: 'dialogue', body, settings, turns, renamed })
    return { request, unknownFields: undefined }
  },

  answerId: id => `dialogue_${id}`,

  write: (answer, { id, model }) => {
    const choices = answer.chunks().flatMap(chunk => chunk.choices)
    const reason = choices.findLast(choice => choice.finish_reason != null)?.finish_reason ?? 'stop'
    const lines = choices.flatMap(({ delta }) => linesOf(delta))
    return JSON.stringify({ id, by: model, lines, ...ending(reason, answer.usage) })
  },

  stream: ({ id, model }) => {
    const push = (deltas: readonly AnswerDelta[]) =>
      deltas
        .flatMap(({ delta }) => linesOf(delta))
        .map(event)
        .join('')
    return {
      open: () => event({ id, by: model }),
      push,
      end: (deltas, _, usage) => push(deltas) + event(ending(deltas.at(-1)?.finish ?? 'stop', usage)),
      fail: ({ message }) => event({ wrong: message }),
    }
  },

  streamError: ({ message }) => event({ wrong: message }),
  error: ({ status, message, param, headers }) => ({
    status,
    headers,
    body: { wrong: message, ...(param !== null && { at: param }) },
  }),
}

function turnOf(line: JsonValue, index: number): Turn {
  const path = `lines[${index}]`
  const { who, says, did, call } = objectOf(line, path)
  if (who === 'rule' || who === 'me') {
    const parts: TurnPart[] = [{ kind: 'text', text: textOf(says, `${path}.says`), path: `${path}.says` }]
    return { role: who === 'me' ? 'user' : 'system', parts, path }
  }
  if (who === 'action') {
    const text: TurnPart = { kind: 'text', text: textOf(says, `${path}.says`), path: `${path}.says` }
    const callId = textOf(call, `${path}.call`)
    return { role: 'tool', parts: [{ kind: 'result', callId, parts: [text], path }], path }
  }
  if (who !== 'you') throw invalid(`${path}.who`, "'rule', 'me', 'you' or 'action'")
  const parts: TurnPart[] = []
  if (says !== undefined)
    parts.push({ kind: 'text', text: textOf(says, `${path}.says`), path: `${path}.says` })
  if (did !== undefined) {
    const { action, with: input, call: id } = objectOf(did, `${path}.did`)
    const name = textOf(action, `${path}.did.action`)
    const at = { path: `${path}.did`, id: textOf(id, `${path}.did.call`) }
    parts.push({ ...at, kind: 'call', tool: 'function', name, arguments: textOf(input, `${path}.did.with`) })
  }
  return { role: 'assistant', parts, path }
}

function toolOf(action: JsonValue, index: number) {
  const { name, takes } = objectOf(action, `actions[${index}]`)
  const parameters = takes === undefined ? {} : { parameters: objectOf(takes, `actions[${index}].takes`) }
  return {
    type: 'function' as const,
    function: { name: textOf(name, `actions[${index}].name`), ...parameters },
  }
}

/** Returns the lines of what arrived: text, and pieces of actions. */
function linesOf({ content, tool_calls: calls = [] }: PartialMessage): object[] {
  return [
    ...(content ? [{ says: content }] : []),
    ...calls.map(({ id, function: called }) => ({
      does: { call: id, action: called?.name, with: called?.arguments },
    })),
  ]
}

function ending(reason: FinishReason, { prompt_tokens, completion_tokens }: Usage): object {
  const ended = reason === 'length' ? 'cut' : reason === 'tool_calls' ? 'acts' : 'done'
  return { ended, tokens: { in: prompt_tokens, out: completion_tokens } }
}

function event(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`
}

function itemsOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}

function objectOf(value: JsonValue | undefined, path: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  throw invalid(path, 'an object')
}

function textOf(value: JsonValue | undefined, path: string): string {
  if (typeof value === 'string') return value
  throw invalid(path, 'a text')
}

function countOf(value: JsonValue, path: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return value
  throw invalid(path, 'a whole number from 1')
}

function invalid(param: string, expected: string): GatewayError {
  return new GatewayError('invalid_value', { message: `Invalid '${param}': expected ${expected}.`, param })
}
