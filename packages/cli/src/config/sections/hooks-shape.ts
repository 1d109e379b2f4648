import { redactedKinds } from '@sluice/hooks'
import type {
  RedactHookConfig,
  RequireJsonHookConfig,
  SystemPromptHookConfig,
  WebhookHookConfig,
} from '../config.ts'
import { suggest } from '../issues/issue-list.ts'
import {
  isPlainObject,
  list,
  type Member,
  object,
  openObject,
  ownValue,
  record,
} from '../shape/collections.ts'
import type { JsonSchema } from '../shape/json-schema.ts'
import type { Shape } from '../shape/shape.ts'
import { choice, flag, secret, text } from '../shape/values.ts'
import { count, milliseconds } from './numbers.ts'

/** The members of one kind of hook. */
type HookMembers<T> = { readonly [Name in keyof Required<T>]: Member }

const literal = (type: string): Member => ({
  shape: { read: value => value, schema: () => ({ const: type }) },
  description: 'Which hook it is.',
  required: true,
})

const direction: Member = {
  shape: choice('request', 'response', 'both'),
  description: 'What it reads. Default `request`.',
}

const common = {
  name: {
    shape: text('lowercase letters, digits, - and _', /^[a-z][a-z0-9_-]{0,63}$/),
    description: 'Names it in traces and metrics. Needed for a second hook of one type.',
  },
  models: {
    shape: list(text("a model's name, or a pattern such as 'test-*'"), { of: "models' names or patterns" }),
    description: 'The requested models that it applies to, by name or pattern. Default: all.',
  },
  principals: {
    shape: list(text("a caller's id, or a pattern such as 'team-*'"), { of: "callers' ids or patterns" }),
    description: 'The callers that it applies to, by id or pattern. Default: all.',
  },
  tags: {
    shape: record(text(), { of: 'strings by name' }),
    description: 'It applies to callers with all of these tags. Default: to all.',
  },
  onFailure: {
    shape: choice('closed', 'open'),
    description:
      'What a failure does: `closed` fails the request, `open` continues without the hook. Default `closed`.',
  },
  timeoutMs: {
    shape: milliseconds,
    description: 'How long a call may take. Default 1000; of a webhook 3000.',
  },
} as const

const part = text('1 to 8 characters, without letters and digits', /^[^\p{L}\p{N}\s_"\\]{1,8}$/u)

const redact: HookMembers<RedactHookConfig> = {
  type: literal('redact'),
  ...common,
  direction,
  kinds: {
    shape: list(choice(...redactedKinds), { of: 'kinds' }),
    description: 'What is found. Default: all kinds.',
  },
  patterns: {
    shape: list(
      object<NonNullable<RedactHookConfig['patterns']>[number]>(
        {
          name: { shape: text(), description: 'The name in placeholders.', required: true },
          pattern: {
            shape: text('a regular expression'),
            description: 'A regular expression.',
            required: true,
          },
          flags: {
            shape: text('flags, such as i', /^[imsuv]+$/),
            description: 'Flags, such as `i`. Default: none.',
          },
          maxLength: { shape: count, description: 'Length of the longest match. Default 256.' },
        },
        'a pattern, such as { name, pattern }',
      ),
      { of: 'patterns' },
    ),
    description: 'Further values.',
  },
  restore: { shape: flag, description: 'Whether values are put back in responses. Default: yes.' },
  placeholder: {
    shape: object<NonNullable<RedactHookConfig['placeholder']>>({
      open: { shape: part, description: 'Default `[`.' },
      close: { shape: part, description: 'Default `]`.' },
    }),
    description: 'What placeholders begin and end with.',
  },
}

const systemPrompt: HookMembers<SystemPromptHookConfig> = {
  type: literal('systemPrompt'),
  ...common,
  text: { shape: text(), description: 'The text that is added.', required: true },
  position: {
    shape: choice('before', 'after'),
    description: 'Whether it is before or after the system text of the request. Default `before`.',
  },
}

const requireJson: HookMembers<RequireJsonHookConfig> = {
  type: literal('requireJson'),
  ...common,
  schema: {
    shape: {
      read: (value, location) =>
        isPlainObject(value) || typeof value === 'boolean' ? value : location.reject(value, 'a JSON Schema'),
      schema: () => ({ type: ['object', 'boolean'] }),
    },
    description: 'JSON Schema that responses must fit. Default: that of the request, if it has one.',
  },
  retry: {
    shape: flag,
    description: 'Whether the model is called once more after an invalid response. Default: yes.',
  },
  when: {
    shape: choice('always', 'requested'),
    description: '`requested`: only responses to requests for a JSON format must be JSON. Default `always`.',
  },
}

const webhook: HookMembers<WebhookHookConfig> = {
  type: literal('webhook'),
  ...common,
  direction,
  url: { shape: secret('a URL with https'), description: 'Where decisions are made.', required: true },
  secret: {
    shape: secret('at least 16 characters, preferably from the environment'),
    description: 'Signs what is sent, by HMAC-SHA256. At least 16 characters.',
    required: true,
  },
  maxResponseBytes: { shape: count, description: 'Maximum size of an answer, in bytes. Default 1048576.' },
  allowPrivateAddresses: {
    shape: flag,
    description: 'Whether the URL may have `http`, or a private or loopback address. Default: no.',
  },
}

const members: Readonly<Record<string, Readonly<Record<string, Member>>>> = {
  redact,
  systemPrompt,
  requireJson,
  webhook,
}
const types = Object.keys(members)
const functions = ['onRequest', 'onResponse', 'onChunk', 'onEnd']

/** Whether a value is a hook of the user's own, as a configuration in TypeScript can have it. */
export function isOwnHook(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    functions.some(name => typeof Reflect.get(value, name) === 'function')
  )
}

const hookShape: Shape = {
  read: (value, location) => {
    if (isOwnHook(value)) return value
    if (!isPlainObject(value)) return location.reject(value, "a hook, such as { type: 'redact' }")
    const type = ownValue(value, 'type')
    if (typeof type === 'string' && Object.hasOwn(members, type))
      return openObject(members[type]!).read(value, location)
    const fix = typeof type === 'string' ? suggest(type, types) : undefined
    return location.at('type').reject(type, `one of ${types.join(', ')}`, fix)
  },
  schema: definitions => ({
    anyOf: types.map(type =>
      definitions.refer(`hook-${type}`, (): JsonSchema => openObject(members[type]!).schema(definitions)),
    ),
  }),
}

export const hooksShape = list(hookShape, { of: 'hooks' })
