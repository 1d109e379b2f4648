import type { JwtConfig, KeyConfig } from '../config.ts'
import { list, object, record } from '../shape/collections.ts'
import { either } from '../shape/either.ts'
import { flag, secret, text } from '../shape/values.ts'
import { limitsShape } from './limit-shape.ts'

/** What keys and the console's chat have in common: models, tags and limits, the last two described for each. */
export function callerMembers(descriptions: { readonly tags: string; readonly limits: string }) {
  return {
    models: {
      shape: list(text("a model's name, or a pattern such as 'test-*'"), { of: "models' names or patterns" }),
      description: 'The models that it may use, by name or pattern. Default: all.',
    },
    tags: { shape: record(text(), { of: 'strings by name' }), description: descriptions.tags },
    limits: { shape: limitsShape, description: descriptions.limits },
  }
}

export const keysShape = list(
  object<KeyConfig>(
    {
      id: { shape: text(), description: 'Id of the caller in the ledger, limits and logs.', required: true },
      key: {
        shape: secret(`the key, such as \${ANN_KEY} from the environment`),
        description: 'The key, preferably from the environment. Or use `hash`.',
      },
      hash: {
        shape: secret('the digest of a key: 64 hexadecimal digits'),
        description: 'The result of `hashApiKey` for the key.',
      },
      ...callerMembers({
        tags: 'Tags of the caller, such as its team.',
        limits: 'Limits of this caller, in addition to the global ones.',
      }),
      storeResponses: {
        shape: flag,
        description: 'Whether responses are stored for this caller. Default: as `responses` says.',
      },
    },
    'a key, such as { id, key }',
  ),
  { of: 'keys' },
)

const names = either(
  [
    { when: Array.isArray, shape: list(text(), { min: 1, of: 'strings' }) },
    { when: value => typeof value === 'string', shape: text() },
  ],
  'a string, or a list of strings',
)

export const jwtShape = object<JwtConfig>({
  jwks: {
    shape: text('the address of the keys, with https'),
    description: 'URL of the key set (JWKS) of the issuer. Or use `secret`.',
  },
  secret: {
    shape: secret('what the issuer signs with'),
    description: 'HMAC secret of the issuer: at least 32 random bytes.',
  },
  issuer: { shape: text(), description: 'The required `iss` of tokens.', required: true },
  audience: {
    shape: names,
    description: 'The required `aud` of tokens: one, or any of a list.',
    required: true,
  },
})
