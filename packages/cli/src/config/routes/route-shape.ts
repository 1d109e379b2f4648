import { suggest } from '../issues/issue-list.ts'
import { breakerShape, callTimeoutsShape, retryShape } from '../sections/gateway-shapes.ts'
import { limitsShape } from '../sections/limit-shape.ts'
import { count, milliseconds, share, shareOfSome, weight } from '../sections/numbers.ts'
import { isPlainObject, list, type Member, object, openObject, record } from '../shape/collections.ts'
import { either, named, orCode } from '../shape/either.ts'
import type { Shape } from '../shape/shape.ts'
import { anything, number, text } from '../shape/values.ts'
import { conditionShape } from './condition-shape.ts'
import { isCode } from './is-code.ts'

const example =
  "a target such as 'openai/gpt-4.1', a model of this configuration, a list, or a route such as { fallback: [...] }"
const needed = { required: true } as const

/** Where a model is answered. What it names is found later. */
export const routeShape: Shape = named('Route', () => {
  const data = either(
    [
      { when: value => typeof value === 'string', shape: text(example) },
      { when: Array.isArray, shape: entries() },
      { when: value => typeof value === 'object' && value !== null, shape: choiceShape },
    ],
    example,
  )
  return orCode(data, isCode)
})

function entries(min = 1): Shape {
  return list(routeShape, { min, max: 1_000, of: 'targets' })
}

const weighed = (member: string, shape: Shape) =>
  openObject({ to: { shape: routeShape, ...needed }, [member]: { shape, ...needed } }, `{ to, ${member} }`)

const by = text(
  "'key', 'user', 'prompt_cache_key', or 'tag:' with a name",
  /^(key|user|prompt_cache_key|tag:.+)$/s,
)

const failure = either(
  [
    {
      when: value => typeof value === 'number',
      shape: number({ min: 400, max: 599, whole: true }, 'a status from 400 to 599'),
    },
    { when: value => typeof value === 'string', shape: text() },
    { when: isPlainObject, shape: object<{ code: string }>({ code: { shape: text(), ...needed } }) },
  ],
  "a status such as 429, a class such as '5xx', a kind such as 'timeout', or { code }",
)

/** The ways to choose, each by the member that tells it from the others. */
const choices: Readonly<
  Record<string, { readonly says: string; readonly members: Readonly<Record<string, Member>> }>
> = {
  fallback: {
    says: 'Tries targets in order.',
    members: {
      fallback: { shape: entries(), description: 'Targets in fallback order.', ...needed },
      on: {
        shape: list(failure, { min: 1, of: 'failures' }),
        description:
          'Failures after which the next target is tried: statuses, `4xx`, `5xx`, `timeout`, kinds, `{ code }`.',
      },
    },
  },
  weighted: {
    says: 'Random choice by weight.',
    members: {
      weighted: {
        shape: list(weighed('weight', weight), { min: 1, max: 1_000, of: '{ to, weight }' }),
        ...needed,
      },
    },
  },
  fastest: {
    says: 'The target with the lowest latency.',
    members: { fastest: { shape: entries(), ...needed } },
  },
  leastBusy: {
    says: 'The target with the fewest requests in flight.',
    members: { leastBusy: { shape: entries(), ...needed } },
  },
  roundRobin: {
    says: 'Targets in turn, one per request.',
    members: { roundRobin: { shape: entries(), ...needed } },
  },
  cheapest: {
    says: 'The target with the lowest price for the request.',
    members: {
      cheapest: { shape: entries(), ...needed },
      outputTokens: {
        shape: count,
        description: 'Assumed output tokens of a request without a maximum. Default 1000.',
      },
    },
  },
  byContextLength: {
    says: 'The target with the smallest sufficient context window.',
    members: { byContextLength: { shape: entries(), ...needed } },
  },
  sticky: {
    says: 'Always the same target for the same key.',
    members: {
      sticky: {
        shape: list(
          either(
            [
              {
                when: value => isPlainObject(value) && 'to' in value && 'weight' in value,
                shape: weighed('weight', weight),
              },
              { when: () => true, shape: routeShape },
            ],
            example,
          ),
          { min: 1, max: 1_000, of: 'targets, or { to, weight }' },
        ),
        ...needed,
      },
      by: { shape: by, description: '`key`, `user`, `prompt_cache_key`, or `tag:` and a name.', ...needed },
    },
  },
  split: {
    says: 'A/B split: one of the arms, by its share.',
    members: {
      split: {
        shape: record(weighed('share', share), { of: 'arms, each { to, share }', min: 1 }),
        ...needed,
      },
      by: {
        shape: by,
        description: 'What keeps requests on the same arm. Default: random for each request.',
      },
    },
  },
  hedge: {
    says: 'Also calls the second target when the first is slow.',
    members: {
      hedge: {
        shape: {
          read: (value, location) => {
            if (Array.isArray(value) && value.length === 2) return entries(2).read(value, location)
            return location.add({
              got: Array.isArray(value) ? `${value.length} entries` : location.describe(value),
              expected: 'a list of two targets',
            })
          },
          schema: definitions => ({ ...entries(2).schema(definitions), maxItems: 2 }),
        },
        ...needed,
      },
      afterMs: {
        shape: milliseconds,
        description: 'Delay before the second call, in milliseconds.',
        ...needed,
      },
    },
  },
  mirror: {
    says: 'Traffic mirroring: the shadow receives a copy of the request, and its response is discarded.',
    members: {
      mirror: { shape: routeShape, ...needed },
      shadow: { shape: routeShape, ...needed },
      share: {
        shape: shareOfSome,
        description: 'The share of requests that are mirrored. Default 1.',
      },
    },
  },
  when: {
    says: 'Chooses by a condition on the request.',
    members: {
      when: { shape: conditionShape, description: 'The condition.', ...needed },
      use: { shape: routeShape, description: 'The route if it is true.', ...needed },
      otherwise: { shape: routeShape, description: 'The route if it is false.', ...needed },
    },
  },
  to: {
    says: 'A target with its own parameters or capabilities.',
    members: {
      to: { shape: text("a target such as 'openai/gpt-4.1', or a model of this configuration"), ...needed },
      parameters: {
        shape: anything,
        description: "Request fields that replace the caller's; `null` removes one.",
      },
      capabilities: {
        shape: anything,
        description: 'Capabilities of its model: `contextTokens`, `maxOutputTokens`, `tools` and so on.',
      },
      allowFields: {
        shape: list(text(), { of: 'names of fields' }),
        description:
          'Restricted fields that every caller may send to it, also callers with limits or a list of models.',
      },
      embeddingSpace: {
        shape: text(),
        description:
          'The space of its embeddings: requests for embeddings fall back only within it. Default: its model.',
      },
      timeouts: {
        shape: callTimeoutsShape,
        description: 'Timeouts of its calls, in milliseconds, instead of the general ones.',
      },
      maxAttempts: {
        shape: count,
        description:
          'The most upstream calls of a request, over all targets, with which it is still called. Default: the general one.',
      },
      retry: { shape: retryShape, description: 'Retries of its calls; `false` turns them off.' },
      breaker: {
        shape: breakerShape,
        description: 'Its circuit breaker and cooldowns; `false` turns them off.',
      },
      limits: {
        shape: limitsShape,
        description:
          "Limits of the target, such as the vendor's quota, over all callers: while one is exceeded, other targets are called.",
      },
    },
  },
}

const ways = Object.keys(choices)

const choiceShape: Shape = {
  read: (value, location) => {
    if (!isPlainObject(value)) return location.reject(value, example)
    const names = Object.keys(value)
    const found = ways.filter(name => Object.hasOwn(value, name))
    const [way, other] = found
    if (way !== undefined && other === undefined)
      return openObject(choices[way]!.members).read(value, location)
    const got = names.length === 0 ? 'an empty object' : `an object with ${names.slice(0, 5).join(', ')}`
    const fix = found.length > 0 ? undefined : names.map(name => suggest(name, ways)).find(Boolean)
    return location.add({ got, expected: `one of ${ways.join(', ')}`, fix })
  },
  schema: definitions =>
    definitions.refer('RouteChoice', () => ({
      anyOf: ways.map(way => ({
        description: choices[way]!.says,
        ...openObject(choices[way]!.members).schema(definitions),
      })),
    })),
}
