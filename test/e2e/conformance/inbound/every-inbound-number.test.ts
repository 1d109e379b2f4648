import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** The points that have a test each: of all protocols, Responses, Messages, embeddings, other endpoints, clients, and faults of other gateways. */
const required = [
  ...numbers('G', [1, 18]),
  ...numbers('G', [20, 27]),
  ...numbers('G', [30, 34]),
  ...numbers('R', [1, 5]),
  ...numbers('R', [11, 22]),
  ...numbers('R', [30, 43]),
  ...numbers('R', [50, 61]),
  ...numbers('R', [65, 65]),
  ...numbers('R', [70, 71]),
  ...numbers('M', [1, 4]),
  ...numbers('M', [10, 12]),
  ...numbers('M', [20, 22]),
  ...numbers('M', [30, 38]),
  ...numbers('M', [40, 41]),
  ...numbers('E', [1, 12]),
  ...numbers('X', [1, 3]),
  ...numbers('K', [1, 9]),
  ...numbers('K', [20, 28]),
  ...numbers('K', [43, 43]),
  ...numbers('T', [1, 3]),
  ...numbers('T', [5, 21]),
  ...numbers('T', [22, 23]),
  ...numbers('T', [28, 28]),
  ...numbers('T', [32, 32]),
  ...numbers('T', [34, 34]),
  ...numbers('T', [44, 45]),
  ...numbers('T', [24, 27]),
  ...numbers('T', [29, 31]),
  ...numbers('T', [33, 33]),
  ...numbers('T', [35, 38]),
  ...numbers('T', [39, 43]),
]

function numbers(letter: string, [first, last]: readonly [number, number]): readonly string[] {
  return Array.from({ length: last - first + 1 }, (_, at) => `${letter}${first + at}`)
}

const here = new URL('.', import.meta.url)
const sources = readdirSync(here)
  .filter(name => name.endsWith('.test.ts'))
  .map(name => readFileSync(new URL(name, here), 'utf8'))
  .join('\n')

it('every point of the list has a test with its number', () => {
  const found = new Set(
    [...sources.matchAll(/'([GRMEXKT]\d+(?: [GRMEXKT]\d+)*) /g)].flatMap(([, names = '']) =>
      names.split(' '),
    ),
  )
  expect(required.filter(name => !found.has(name))).toEqual([])
})
