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
      promptLongerThan: { shape: count, description: 'The estimated prompt has more tokens.' },
      bodyLargerThan: { shape: count, description: "The request's body has more bytes." },
      hasTools: { shape: yes, description: 'The request has tools.' },
      hasMedia: { shape: yes, description: 'A message has an image, audio, a file or a video.' },
      modelMatches: {
        shape: either(
          [
            { when: Array.isArray, shape: list(pattern, { min: 1, of: 'patterns' }) },
            { when: value => typeof value === 'string', shape: pattern },
          ],
          "a model's name or pattern, or a list of these",
        ),
        description: 'The requested model name matches, for an entry with several names.',
      },
      anyOf: { shape: conditions, description: 'At least one of them is true.' },
      noneOf: { shape: conditions, description: 'None of them is true.' },
    },
    'a condition, such as { promptLongerThan: 20000 }',
  )
  return {
    schema: definitions => ({ ...members.schema(definitions), minProperties: 1 }),
    read: (value, location) => {
      const read = members.read(value, location)
      const isEmpty = typeof read === 'object' && read !== null && Object.keys(read).length === 0
      return isEmpty ? location.add({ got: 'an empty object', expected: 'at least one condition' }) : read
    },
  }
})
