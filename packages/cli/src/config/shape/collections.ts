import { suggest } from '../issues/issue-list.ts'
import { described, type JsonSchema } from './json-schema.ts'
import type { ConfigLocation, Shape } from './shape.ts'

/** A list of one shape. */
export function list(
  item: Shape,
  { min = 0, max = 10_000, of }: { readonly min?: number; readonly max?: number; readonly of: string },
): Shape {
  const expected = `a list of ${min === 0 ? '' : `at least ${min} `}${of}`
  return {
    read: (value, location) => {
      if (!Array.isArray(value) || value.length < min) return location.reject(value, expected)
      if (value.length > max)
        return location.add({ got: `${value.length} entries`, expected: `at most ${max}` })
      return Array.from(value, (each, index) => item.read(each, location.at(index)))
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
    read: (given, location) => {
      if (!isPlainObject(given)) return location.reject(given, expected)
      const entries = Object.entries(given).filter(([, each]) => each !== undefined)
      if (entries.length < min)
        return location.add({ got: 'an empty object', expected: `${expected} with at least ${min} entry` })
      return fromEntries(
        entries.map(([key, each]) => {
          const expectedName = key === '__proto__' || key === '' ? 'another name' : name?.(key)
          if (expectedName !== undefined) location.at(key).add({ got: 'that name', expected: expectedName })
          return [key, value.read(each, location.at(key))]
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

/** A property of an object: its shape, its description for editors, and whether it is required. */
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
    read: (value, location) => {
      if (!isPlainObject(value)) return location.reject(value, expected)
      for (const name of names) {
        if (members[name]!.required && ownValue(value, name) === undefined)
          location.at(name).reject(undefined, 'a value: it is required')
      }
      return fromEntries(
        Object.entries(value)
          .filter(([, each]) => each !== undefined)
          .map(([name, each]) => [name, readMember(name, each, location)]),
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

  function readMember(name: string, value: unknown, location: ConfigLocation): unknown {
    if (Object.hasOwn(members, name)) return members[name]!.shape.read(value, location.at(name))
    if (other !== undefined && name !== '__proto__') return other.read(value, location.at(name))
    return location.at(name).add({
      got: 'an unknown setting',
      expected: `one of ${names.join(', ')}`,
      fix: suggest(name, names),
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
