import { didYouMean } from '../issues/issue-list.ts'
import { described, type JsonSchema } from './json-schema.ts'
import type { Place, Shape } from './shape.ts'

/** A list of one shape. */
export function list(
  item: Shape,
  { min = 0, max = 10_000, of }: { readonly min?: number; readonly max?: number; readonly of: string },
): Shape {
  const expected = `a list of ${of}${min === 0 ? '' : `, ${min} at least`}`
  return {
    read: (value, place) => {
      if (!Array.isArray(value) || value.length < min) return place.wrong(value, expected)
      if (value.length > max) return place.add({ got: `${value.length} of them`, expected: `${max} at most` })
      return Array.from(value, (each, index) => item.read(each, place.at(index)))
    },
    schema: definitions => ({
      type: 'array',
      items: item.schema(definitions),
      ...(min > 0 && { minItems: min }),
    }),
  }
}

/** Values of one shape by names of the user's own. */
export function record(
  value: Shape,
  {
    of,
    min = 0,
    name,
  }: { readonly of: string; readonly min?: number; readonly name?: (name: string) => string | undefined },
): Shape {
  const expected = `an object of ${of}`
  return {
    read: (given, place) => {
      if (!isPlainObject(given)) return place.wrong(given, expected)
      const entries = Object.entries(given).filter(([, each]) => each !== undefined)
      if (entries.length < min)
        return place.add({ got: 'an empty object', expected: `${expected}, ${min} at least` })
      return fromEntries(
        entries.map(([key, each]) => {
          const fault = key === '__proto__' || key === '' ? 'another name' : name?.(key)
          if (fault !== undefined) place.at(key).add({ got: 'that name', expected: fault })
          return [key, value.read(each, place.at(key))]
        }),
      )
    },
    schema: definitions => ({
      type: 'object',
      additionalProperties: value.schema(definitions),
      ...(min > 0 && { minProperties: min }),
    }),
  }
}

/** A member of an object: its shape, what editors are told of it, and whether it has to be there. */
export interface Member {
  readonly shape: Shape
  readonly description?: string
  readonly required?: true
}

/** An object with members of these names, and no others. `T` makes sure that none of its own is forgotten. */
export function object<T>(
  members: { readonly [Name in keyof Required<T>]: Member },
  expected = 'an object',
): Shape {
  return openObject(members as Readonly<Record<string, Member>>, expected)
}

/** The same; `other` reads members of other names, where it is given. */
export function openObject(
  members: Readonly<Record<string, Member>>,
  expected = 'an object',
  other?: Shape,
): Shape {
  const names = Object.keys(members)
  return {
    read: (value, place) => {
      if (!isPlainObject(value)) return place.wrong(value, expected)
      for (const name of names) {
        if (members[name]!.required && ownValue(value, name) === undefined)
          place.at(name).wrong(undefined, 'a value, as it is needed')
      }
      return fromEntries(
        Object.entries(value)
          .filter(([, each]) => each !== undefined)
          .map(([name, each]) => [name, readMember(name, each, place)]),
      )
    },
    schema: definitions => ({
      type: 'object',
      properties: fromEntries(
        names.map(name => [
          name,
          described(members[name]!.shape.schema(definitions), members[name]!.description),
        ]),
      ),
      required: names.filter(name => members[name]!.required),
      additionalProperties: other === undefined ? false : other.schema(definitions),
    }),
  }

  function readMember(name: string, value: unknown, place: Place): unknown {
    if (Object.hasOwn(members, name)) return members[name]!.shape.read(value, place.at(name))
    if (other !== undefined && name !== '__proto__') return other.read(value, place.at(name))
    return place.at(name).add({
      got: 'a member that is not known here',
      expected: `one of ${names.join(', ')}`,
      mend: didYouMean(name, names),
    })
  }
}

/** Whether a value is an object of data: no list, and of no class. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // Of another realm too, as the loader of modules may have one.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

export function ownValue(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
}

/** Also for a name such as `__proto__`, which becomes a member like any other. */
function fromEntries(entries: readonly (readonly [string, unknown])[]): JsonSchema {
  return Object.fromEntries(entries)
}
