import { GatewayError } from '@sluice/core'

const words = 'canary-words-of-a-function'

/** What a function of the user's may do instead of its work, by name. */
const failures: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw new Error(words)
  },
  'throws no error': () => thrown(words),
  'throws nothing': () => thrown(undefined),
  rejects: () => Promise.reject(new Error(words)),
  'rejects later': () => new Promise((_, reject) => setTimeout(reject, 5, new Error(words))),
  'gives a promise that throws': () => Object.fromEntries([['then', () => thrown(new Error(words))]]),
  hangs: () => new Promise<never>(() => {}),
}

function thrown(value: unknown): never {
  throw value
}

/** Values of every type that are none of what is asked for; `true` and what is nothing are not among them. */
const garbage: Readonly<Record<string, unknown>> = {
  'a number': 7,
  NaN: Number.NaN,
  'a string': 'canary-words-of-a-function',
  'an empty string': '',
  'a big integer': 7n,
  'a symbol': Symbol('x'),
  'an empty object': {},
  'an array': [1],
  'an array of nothing': [undefined, null],
  'an array of objects': [{}],
  'something like an array': { length: 1, 0: {} },
  'a function': () => {},
  'a date': new Date(0),
  'an error': new Error('x'),
  'a proxy that throws': new Proxy(
    {},
    {
      get: (_, name) => {
        if (name === 'then') return undefined
        throw new Error(words)
      },
    },
  ),
  'an object without a prototype': Object.create(null),
}

/** Nothing of an error reaches a caller. */
export const ownWords = words

/** A refusal that a function of the user's may well make. */
export const refusal = () => {
  throw new GatewayError('insufficient_quota', { message: 'Pay first.' })
}

/** Each failure and each garbage value as a function, by what it does. */
export const misdeeds = {
  ...failures,
  ...Object.fromEntries(Object.entries(garbage).map(([name, value]) => [`gives ${name}`, () => value])),
} as Readonly<Record<string, () => never>>

/** These, and each garbage value as a promise. */
export const allMisdeeds = {
  ...misdeeds,
  ...Object.fromEntries(
    Object.entries(garbage).map(([name, value]) => [`gives ${name} later`, async () => value]),
  ),
} as Readonly<Record<string, () => never>>
