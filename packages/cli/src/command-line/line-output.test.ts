import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { lineOutput } from './line-output.ts'

function recorded() {
  const writes: string[] = []
  return { writes, output: lineOutput({ write: text => writes.push(text) }) }
}

it('writes the lines of one turn together, in their order', async () => {
  const { writes, output } = recorded()
  output.print('one')
  output.print('two')
  expect(writes).toEqual([])
  await nextTurn()
  expect(writes).toEqual(['one\ntwo\n'])
  output.print('three')
  await nextTurn()
  expect(writes).toEqual(['one\ntwo\n', 'three\n'])
})

it('writes what is held before the process exits, and nothing twice', async () => {
  const { writes, output } = recorded()
  output.print('last')
  output.flush()
  output.flush()
  await nextTurn()
  expect(writes).toEqual(['last\n'])
})

it('goes on after a write that throws', async () => {
  const writes: string[] = []
  const output = lineOutput({
    write: text => {
      writes.push(text)
      if (writes.length === 1) throw new Error('the stream is closed')
    },
  })
  output.print('lost')
  expect(output.flush).toThrow('the stream is closed')
  output.print('kept')
  await nextTurn()
  expect(writes).toEqual(['lost\n', 'kept\n'])
})
