import { GatewayError } from '@sluice/core'
import {
  type AnswerDelta,
  type Draft,
  type GenerateDialect,
  type Turn,
  type TurnPart,
  TurnsGenerateRequest,
} from '@sluice/core/dialect'
import type { JsonObject, JsonValue, PartialMessage, Usage } from '@sluice/core/provider'

/** A made-up protocol: a dialogue is a list of lines, and actions are tools. */
export const dialogue: GenerateDialect = {
  name: 'dialogue',
  operation: 'generate',
  path: '/dialogue',

  outline: body => ({
    stream: body.live === true,
    user: typeof body.for === 'string' ? body.for : undefined,
    hasTools: itemsOf(body.actions).length > 0,
    maxOutputTokens: typeof body.longest === 'number' ? body.longest : undefined,
  }),

  read: ({ model, body }: Draft) => {
    const settings = {
      model,
      stream: body.live === true,
      ...(typeof body.for === 'string' && { user: body.for }),
      ...(body.longest !== undefined && { max_completion_tokens: countOf(body.longest, 'longest') }),
      ...(body.actions !== undefined && { tools: itemsOf(body.actions).map(toolOf) }),
    }
    const turns = itemsOf(body.lines).map(turnOf)
    if (turns.length === 0) throw invalid('lines', 'at least one line')
    const renamed = { max_completion_tokens: 'longest', tools: 'actions', user: 'for', stream: 'live' }
    return { request: new TurnsGenerateRequest({ dialect: 'dialogue', body, settings, turns, renamed }) }
  },

  answerId: id => `dialogue_${id}`,

  write: (answer, { id, model }) => {
    const deltas = answer.deltas()
    const lines = deltas.flatMap(({ delta }) => linesOf(delta))
    return JSON.stringify({ id, by: model, lines, ...ending(deltas, answer.usage) })
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
      end: (deltas, _, usage) => push(deltas) + event(ending(deltas, usage)),
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
  for (const [nth, each] of itemsOf(did).entries()) {
    const at = `${path}.did[${nth}]`
    const { action, with: input, call: id } = objectOf(each, at)
    const [name, text] = [textOf(action, `${at}.action`), textOf(input, `${at}.with`)]
    parts.push({
      kind: 'call',
      tool: 'function',
      id: textOf(id, `${at}.call`),
      name,
      arguments: text,
      path: at,
    })
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
    ...calls.map(({ id, function: of }) => ({ does: { call: id, action: of?.name, with: of?.arguments } })),
  ]
}

function ending(deltas: readonly AnswerDelta[], { prompt_tokens, completion_tokens }: Usage): object {
  const reason = deltas.at(-1)?.finish
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
