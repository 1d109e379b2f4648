/** The members of a value for which `null` means absent. */
interface NullableMembers {
  readonly drop?: readonly string[]
  readonly into?: readonly (readonly [name: string, places: NullableMembers])[]
  readonly each?: NullableMembers
}

const definition: NullableMembers = { drop: ['description', 'parameters', 'format'] }

const part: NullableMembers = {
  into: [
    ['image_url', { drop: ['detail'] }],
    ['file', { drop: ['file_id', 'file_data', 'filename'] }],
  ],
}

const fields: NullableMembers = {
  into: [
    ['messages', { each: { drop: ['name', 'tool_calls'], into: [['content', { each: part }]] } }],
    [
      'tools',
      {
        each: {
          into: [
            ['function', definition],
            ['custom', definition],
          ],
        },
      },
    ],
    ['functions', { each: definition }],
    ['stream_options', { drop: ['include_usage', 'include_obfuscation'] }],
    ['response_format', { into: [['json_schema', { drop: ['description', 'schema'] }]] }],
  ],
}

/** Creates objects with an empty prototype. V8 is slower on objects without a prototype. */
const Bare = function Bare() {} as unknown as new () => Record<string, unknown>
Bare.prototype = Object.create(null)

/** Returns a copy of a body without top-level fields that are `null`. It inherits nothing from `Object.prototype`. */
export function withoutNulls(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const copy = new Bare()
  for (const key of Object.keys(body)) {
    const value = body[key]
    if (value !== null && value !== undefined) copy[key] = value
  }
  return copy
}

/**
 * Removes optional members that are `null` within the fields of a request, unless their type allows `null`, and empty
 * `tool_calls`. Copies only what changes.
 */
export function dropInnerNulls(request: Record<string, unknown>): void {
  for (const [field, places] of fields.into!) {
    const value = request[field]
    if (value === undefined) continue
    const cleaned = clean(value, places)
    if (cleaned !== value) request[field] = cleaned
  }
}

function clean(value: unknown, { drop = none, into = none, each }: NullableMembers): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return each === undefined ? value : cleanAll(value, each)
  const members = value as Readonly<Record<string, unknown>>
  let copy: Record<string, unknown> | undefined
  for (const key of drop) {
    const member = members[key]
    if (member === undefined || (member !== null && !isEmptyList(member))) continue
    copy ??= { ...members }
    delete copy[key]
  }
  for (const [key, places] of into) {
    const member = members[key]
    const cleaned = clean(member, places)
    if (cleaned === member) continue
    copy ??= { ...members }
    copy[key] = cleaned
  }
  return copy ?? value
}

/** Of the members that may be absent, only `tool_calls` can be a list. */
function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

const none = [] as const

function cleanAll(items: readonly unknown[], places: NullableMembers): readonly unknown[] {
  let copy: unknown[] | undefined
  for (let index = 0; index < items.length; index++) {
    const cleaned = clean(items[index], places)
    if (cleaned === items[index]) continue
    copy ??= [...items]
    copy[index] = cleaned
  }
  return copy ?? items
}
