import fc from 'fast-check'
import { jsonValue, oddKey, oddText } from './odd-text.ts'
import { seldom } from './seldom.ts'

const leaf = fc.oneof(
  fc.constantFrom<object>(
    { type: 'string' },
    { type: 'string', enum: ['a', 'b'] },
    { type: 'string', format: 'date-time', minLength: 1, pattern: '^a' },
    { type: 'integer', minimum: 0, maximum: 9 },
    { type: ['number', 'null'] },
    { type: 'boolean', default: false },
    { $ref: '#/$defs/thing' },
    { const: 1 },
    {},
  ),
  oddText.map(description => ({ type: 'string', description })),
)

const inner: fc.Arbitrary<object> = fc.letrec<{ schema: object }>(tie => ({
  schema: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    leaf,
    tie('schema').map(items => ({ type: 'array', items })),
    fc.tuple(tie('schema'), tie('schema')).map(anyOf => ({ anyOf })),
    fc
      .dictionary(oddKey, tie('schema'), { maxKeys: 3, noNullPrototype: true })
      .map(properties => ({ type: 'object', properties, additionalProperties: false })),
  ),
})).schema

/** A JSON Schema of an object, whose references and definitions have to survive. */
export const objectSchema: fc.Arbitrary<object> = fc.record(
  {
    type: fc.constant('object'),
    properties: fc.dictionary(oddKey, inner, { maxKeys: 3, noNullPrototype: true }),
    required: fc.constant([]),
    additionalProperties: fc.oneof(fc.boolean(), leaf),
    $defs: fc.constant({ thing: { type: 'string' } }),
    definitions: fc.constant({ other: { $ref: '#/$defs/thing' } }),
    title: oddText,
    'x-own': jsonValue,
  },
  { requiredKeys: ['type'], noNullPrototype: true },
)

const parameters = fc.oneof(
  { weight: 8, arbitrary: objectSchema },
  {
    weight: 1,
    arbitrary: fc.constantFrom<object>(
      {},
      { type: 'array' },
      { oneOf: [{ type: 'object' }] },
      { $ref: '#/x' },
    ),
  },
)

/** Names as the protocol takes them; some vendors want a letter first. */
export const toolName: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[a-z][a-zA-Z0-9_-]{0,10}$/) },
  { weight: 1, arbitrary: fc.constantFrom('1', '-', '_', 'x'.repeat(64), '9-lives', 'json', 'constructor') },
)

const cacheControl = fc.constantFrom({ type: 'ephemeral' }, { type: 'ephemeral', ttl: '1h' })

const functionTool = fc
  .tuple(
    fc.record(
      { name: toolName, description: oddText, parameters, strict: fc.constantFrom(true, false) },
      { requiredKeys: ['name'], noNullPrototype: true },
    ),
    seldom(cacheControl, 8),
  )
  .map(([definition, mark]) => ({
    type: 'function',
    function: definition,
    ...(mark === undefined ? {} : { cache_control: mark }),
  }))

const customTool = toolName.map(name => ({ type: 'custom', custom: { name } }))

/** Tools, each of another name. */
export const tools: fc.Arbitrary<object[]> = fc.uniqueArray(
  fc.oneof(
    { weight: 30, arbitrary: functionTool },
    { weight: 1, arbitrary: customTool as fc.Arbitrary<never> },
  ),
  { maxLength: 4, selector: tool => (tool.function ?? (tool as { custom?: { name: string } }).custom)?.name },
)
