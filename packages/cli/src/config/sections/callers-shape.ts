import type { JwtConfig, KeyConfig } from '../config.ts'
import { list, object, record } from '../shape/collections.ts'
import { either } from '../shape/either.ts'
import { secret, text } from '../shape/values.ts'
import { limitsShape } from './limit-shape.ts'

/** What keys and the console's chat have in common: models, tags and limits, the last two described for each. */
export function callerMembers(descriptions: { readonly tags: string; readonly limits: string }) {
  return {
    models: {
      shape: list(text("a model's name, or a pattern such as 'test-*'"), { of: "models' names or patterns" }),
      description: 'The models that it may use, by name or pattern. Default: all.',
    },
    tags: { shape: record(text(), { of: 'texts by name' }), description: descriptions.tags },
    limits: { shape: limitsShape, description: descriptions.limits },
  }
}

export const keysShape = list(
  object<KeyConfig>(
    {
      id: { shape: text(), description: 'Who it is: in records, limits and logs.', required: true },
      key: {
        shape: secret(`the key, such as \${ANN_KEY} from the environment`),
        description: 'The key itself, best from the environment. Or `hash`.',
      },
      hash: {
        shape: secret('the digest of a key: 64 hexadecimal digits'),
        description: 'What `hashApiKey` gives for the key.',
      },
      ...callerMembers({
        tags: 'What is known of the caller, such as its team.',
        limits: 'Rules for this caller, beside those for all.',
      }),
    },
    'a key, such as { id, key }',
  ),
  { of: 'keys' },
)

const names = either(
  [
    { when: Array.isArray, shape: list(text(), { min: 1, of: 'texts' }) },
    { when: value => typeof value === 'string', shape: text() },
  ],
  'a text, or a list of texts',
)

export const jwtShape = object<JwtConfig>({
  jwks: {
    shape: text('the address of the keys, with https'),
    description: 'Where the issuer publishes its keys. Or `secret`.',
  },
  secret: {
    shape: secret('what the issuer signs with'),
    description: 'What the issuer signs with, for HMAC: 32 random bytes or more.',
  },
  issuer: { shape: text(), description: 'The `iss` that a token has to have.', required: true },
  audience: {
    shape: names,
    description: 'The `aud` that a token has to have: one, or any of several.',
    required: true,
  },
})
