import { didYouMean } from '../issues/issue-list.ts'
import { count, milliseconds, share, shareOfSome, weight } from '../sections/numbers.ts'
import { isPlainObject, list, type Member, object, openObject, record } from '../shape/collections.ts'
import { either, named, orCode } from '../shape/either.ts'
import type { Shape } from '../shape/shape.ts'
import { anything, number, text } from '../shape/values.ts'
import { conditionShape } from './condition-shape.ts'
import { isCode } from './is-code.ts'

const example =
  "a place such as 'openai/gpt-4.1', a model of this configuration, a list, or a route such as { fallback: [...] }"
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
  return list(routeShape, { min, max: 1_000, of: 'places' })
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
    says: 'One after the other.',
    members: {
      fallback: { shape: entries(), description: 'Asked in order, as a list is.', ...needed },
      on: {
        shape: list(failure, { min: 1, of: 'failures' }),
        description:
          'After which failures the next is asked: statuses, `4xx`, `5xx`, `timeout`, kinds, `{ code }`.',
      },
    },
  },
  weighted: {
    says: 'Chance decides, by weight.',
    members: {
      weighted: {
        shape: list(weighed('weight', weight), { min: 1, max: 1_000, of: '{ to, weight }' }),
        ...needed,
      },
    },
  },
  fastest: { says: 'Who begins soonest.', members: { fastest: { shape: entries(), ...needed } } },
  leastBusy: {
    says: 'Who has the fewest requests under way.',
    members: { leastBusy: { shape: entries(), ...needed } },
  },
  cheapest: {
    says: 'Who takes least for the request, by the prices.',
    members: {
      cheapest: { shape: entries(), ...needed },
      outputTokens: { shape: count, description: 'Expected of an answer without a bound. Default 1000.' },
    },
  },
  byContextLength: {
    says: 'The smallest that is large enough.',
    members: { byContextLength: { shape: entries(), ...needed } },
  },
  sticky: {
    says: 'Always the same one for the same key.',
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
          { min: 1, max: 1_000, of: 'places, or { to, weight }' },
        ),
        ...needed,
      },
      by: { shape: by, description: '`key`, `user`, `prompt_cache_key`, or `tag:` and a name.', ...needed },
    },
  },
  split: {
    says: 'A trial: one of the arms, by its share.',
    members: {
      split: {
        shape: record(weighed('share', share), { of: 'arms, each { to, share }', min: 1 }),
        ...needed,
      },
      by: { shape: by, description: 'Whose requests go to the same arm. Default: chance decides for each.' },
    },
  },
  hedge: {
    says: 'The second is asked too where the first is slow.',
    members: {
      hedge: {
        shape: {
          read: (value, place) => {
            if (Array.isArray(value) && value.length === 2) return entries(2).read(value, place)
            return place.add({
              got: Array.isArray(value) ? `${value.length} of them` : place.shown(value),
              expected: 'a list of two places',
            })
          },
          schema: definitions => ({ ...entries(2).schema(definitions), maxItems: 2 }),
        },
        ...needed,
      },
      afterMs: {
        shape: milliseconds,
        description: 'How long the first may take to begin, in milliseconds.',
        ...needed,
      },
    },
  },
  mirror: {
    says: 'The first answers; the shadow is asked the same, and its answer dropped.',
    members: {
      mirror: { shape: routeShape, ...needed },
      shadow: { shape: routeShape, ...needed },
      share: {
        shape: shareOfSome,
        description: 'The share of the requests that go to the shadow too. Default 1.',
      },
    },
  },
  when: {
    says: 'By what is asked.',
    members: {
      when: { shape: conditionShape, description: 'What a request is looked at for.', ...needed },
      use: { shape: routeShape, description: 'Where the condition holds.', ...needed },
      otherwise: { shape: routeShape, description: 'Where it does not.', ...needed },
    },
  },
  to: {
    says: 'A place with something of its own.',
    members: {
      to: { shape: text("a place such as 'openai/gpt-4.1', or a model of this configuration"), ...needed },
      parameters: {
        shape: anything,
        description: "Fields of the request that stand in the place of the caller's; `null` leaves one out.",
      },
      capabilities: {
        shape: anything,
        description: 'What its model can do: `contextTokens`, `maxOutputTokens`, `tools` and so on.',
      },
      allowFields: {
        shape: list(text(), { of: 'names of fields' }),
        description:
          'Restricted fields that every caller may send here, also with limits or a list of models.',
      },
    },
  },
}

const ways = Object.keys(choices)

const choiceShape: Shape = {
  read: (value, place) => {
    if (!isPlainObject(value)) return place.wrong(value, example)
    const names = Object.keys(value)
    const found = ways.filter(name => Object.hasOwn(value, name))
    const [way, other] = found
    if (way !== undefined && other === undefined) return openObject(choices[way]!.members).read(value, place)
    const got = names.length === 0 ? 'an empty object' : `an object with ${names.slice(0, 5).join(', ')}`
    const mend = found.length > 0 ? undefined : names.map(name => didYouMean(name, ways)).find(Boolean)
    return place.add({ got, expected: `one of ${ways.join(', ')}`, mend })
  },
  schema: definitions =>
    definitions.refer('RouteChoice', () => ({
      anyOf: ways.map(way => ({
        description: choices[way]!.says,
        ...openObject(choices[way]!.members).schema(definitions),
      })),
    })),
}
