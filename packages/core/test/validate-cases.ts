import { expect } from 'vitest'
import type { Capabilities, Provider, Target } from '../src/contracts/provider.ts'
import { chatDialect } from '../src/dialects/chat/dialect.ts'
import { GatewayError } from '../src/errors/errors.ts'
import { type ValidationRules, validateRequest } from '../src/gateway/validate-request.ts'
import type { JsonObject } from '../src/protocol/chat.ts'
import { chatDraft } from './support/chat-draft.ts'

export const provider: Provider = {
  name: 'test',
  encode: () => ({ method: 'POST', url: 'http://127.0.0.1', headers: {} }),
  decode: () => ({ kind: 'completion', completion: { choices: [] } }),
}
export const target = (capabilities?: Capabilities): Target =>
  capabilities === undefined ? { provider, model: 'm' } : { provider, model: 'm', capabilities }

const estimateTokens = () => 1
export const schema: ValidationRules = {
  profile: 'schema',
  unknownParameters: 'pass',
  boundsAll: false,
  estimateTokens,
}
export const live: ValidationRules = {
  profile: 'live',
  unknownParameters: 'pass',
  boundsAll: false,
  estimateTokens,
}
export const strict: ValidationRules = {
  profile: 'schema',
  unknownParameters: 'reject',
  boundsAll: false,
  estimateTokens,
}
export const profiles = [schema, live] as const

export const hello = [{ role: 'user', content: 'Hello!' }]
export const base = { model: 'm', messages: hello }

export function check(body: object, rules = schema, targets: readonly Target[] = [target()]) {
  const model = 'model' in body ? String(body.model) : 'm'
  return validateRequest(
    chatDialect,
    chatDraft({ model, body: body as JsonObject, bytes: 1 }),
    { id: 'ann' },
    targets,
    rules,
    {
      skip: () => {},
    },
  )
}

export const passes = (extra: object, rules = schema) => check({ ...base, ...extra }, rules).request.chat()

export function errorFrom(
  body: object,
  rules = schema,
  targets: readonly Target[] = [target()],
): GatewayError {
  try {
    check(body, rules, targets)
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error(`nothing was refused of ${JSON.stringify(body).slice(0, 200)}`)
}

export const refuses = (extra: object, rules = schema) => errorFrom({ ...base, ...extra }, rules)

export type Row = readonly [body: object, code: string | null, param: string, message: string]

/** Each row is refused in both profiles, with exactly this answer. */
export function refusesAll(rows: readonly Row[], rules: readonly ValidationRules[] = profiles): void {
  for (const [body, code, param, message] of rows) {
    for (const profile of rules) {
      const error = refuses(body, profile)
      expect(error.toBody()).toEqual({ error: { message, type: 'invalid_request_error', param, code } })
      expect(error.status).toBe(400)
    }
  }
}

export const longText = (length: number) => 'k'.repeat(length)
export const invalidType = (param: string, expected: string, got: string) =>
  `Invalid type for '${param}': expected ${expected}, but got ${got} instead.`
export const missing = (param: string) => `Missing required parameter: '${param}'.`
export const roles = "'system', 'assistant', 'user', 'function', 'tool', and 'developer'"
