import type { ConditionConfig } from '../config.ts'
import { count } from '../sections/numbers.ts'
import { list, object, record } from '../shape/collections.ts'
import { either, just, named } from '../shape/either.ts'
import type { Shape } from '../shape/shape.ts'
import { text } from '../shape/values.ts'

/** Only `true` says something: that a request does not have it, `noneOf` says. */
const yes = either([{ when: value => value === true, shape: just(true) }], 'true')

const pattern = text("a model's name, or a pattern such as 'gpt-*'")

export const conditionShape: Shape = named('Condition', () => {
  const conditions = list(conditionShape, { min: 1, of: 'conditions' })
  const members = object<ConditionConfig>(
    {
      tag: {
        shape: record(text('the value of the tag'), { of: 'values by tag', min: 1 }),
        description: 'Tags of the caller, and their values.',
      },
      promptAbove: { shape: count, description: 'The prompt is likely to have more tokens.' },
      bodyAbove: { shape: count, description: "The request's body has more bytes." },
      offersTools: { shape: yes, description: 'There are tools.' },
      holdsMedia: { shape: yes, description: 'A message holds an image, audio or a file.' },
      askedAs: {
        shape: either(
          [
            { when: Array.isArray, shape: list(pattern, { min: 1, of: 'patterns' }) },
            { when: value => typeof value === 'string', shape: pattern },
          ],
          "a model's name or pattern, or a list of these",
        ),
        description: 'The name that the caller used fits, for an entry that stands under several.',
      },
      anyOf: { shape: conditions, description: 'One of them holds, or more.' },
      noneOf: { shape: conditions, description: 'None of them holds.' },
    },
    'a condition, such as { promptAbove: 20000 }',
  )
  return {
    schema: definitions => ({ ...members.schema(definitions), minProperties: 1 }),
    read: (value, place) => {
      const read = members.read(value, place)
      const isEmpty = typeof read === 'object' && read !== null && Object.keys(read).length === 0
      return isEmpty ? place.add({ got: 'an empty object', expected: 'one condition at least' }) : read
    },
  }
})
