import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AnswerStore } from '@sluice/core'
import type { ConformanceCase } from './conformance-case.ts'

const longMs = 60_000
const shortMs = 30

/**
 * What every store of answers does, as tests for any framework:
 *
 *     for (const { name, run } of answerStoreConformance) it(name, () => run(async () => myStore()))
 *
 * Each case uses keys of its own, so that one database serves all of them; `make` need not give an empty store. The
 * store goes by its own time: some cases wait until a text is gone.
 */
export const answerStoreConformance: readonly ConformanceCase<AnswerStore>[] = [
  over('has nothing under a key that it was never told of', async (store, key) => {
    assert.equal(await store.get(key), undefined)
  }),
  over('gives what it was told to keep, again and again', async (store, key) => {
    await store.set(key, 'one', longMs)
    assert.equal(await store.get(key), 'one')
    assert.equal(await store.get(key), 'one')
    assert.equal(await store.get(`${key}.`), undefined)
  }),
  over('keeps another text in its place', async (store, key) => {
    await store.set(key, 'one', longMs)
    await store.set(key, 'two', longMs)
    assert.equal(await store.get(key), 'two')
  }),
  over('keeps every character of a text', async (store, key) => {
    const text = Array.from({ length: 0x2_10 }, (_, unit) => String.fromCodePoint(unit * 0x80 + 1))
      .filter(character => character.isWellFormed())
      .join('')
    for (const kept of [text, '\0', '\r\n \ufeff', '😀', 'null', '0', '"']) {
      await store.set(key, kept, longMs)
      assert.equal(await store.get(key), kept)
    }
  }),
  over('keeps a text of a mebibyte', async (store, key) => {
    const text = 'é"\\\n'.repeat(209_716)
    await store.set(key, text, longMs)
    assert.equal(await store.get(key), text)
    assert.equal(await store.replace(key, text, 'less', longMs), true)
    assert.equal(await store.get(key), 'less')
  }),
  over('forgets a text when its time is over', async (store, key) => {
    await store.set(key, 'one', shortMs)
    await gone(store, key)
    assert.equal(await store.add(key, 'two', longMs), undefined)
    assert.equal(await store.get(key), 'two')
  }),
  over('takes a part of a millisecond for a time', async (store, key) => {
    await store.set(key, 'one', 0.5)
    await gone(store, key)
    await store.set(key, 'one', longMs + 0.5)
    assert.equal(await store.get(key), 'one')
  }),
  over('goes by the last time that it was told', async (store, key) => {
    const other = `${key}.other`
    await store.set(key, 'one', shortMs)
    await store.set(other, 'one', shortMs)
    await store.set(key, 'one', longMs)
    await gone(store, other)
    assert.equal(await store.get(key), 'one')
    await store.set(key, 'one', shortMs)
    await gone(store, key)
  }),
  over('adds where nothing is', async (store, key) => {
    assert.equal(await store.add(key, 'one', longMs), undefined)
    assert.equal(await store.get(key), 'one')
  }),
  over('adds nothing where something is, gives it, and leaves it its time', async (store, key) => {
    await store.set(key, 'one', shortMs)
    assert.equal(await store.add(key, 'two', longMs), 'one')
    await gone(store, key)
  }),
  over('lets one of many add', async (store, key) => {
    const texts = Array.from({ length: 50 }, (_, index) => `text ${index}`)
    const found = await Promise.all(texts.map(async text => store.add(key, text, longMs)))
    const kept = await store.get(key)
    assert.equal(found.filter(text => text === undefined).length, 1)
    assert.ok(found.every(text => text === undefined || text === kept))
    assert.equal(found.indexOf(undefined), texts.indexOf(kept ?? ''))
  }),
  over('replaces just what it is told to', async (store, key) => {
    assert.equal(await store.replace(key, 'one', 'two', longMs), false)
    assert.equal(await store.get(key), undefined)
    await store.set(key, 'one', longMs)
    for (const other of ['on', 'one ', 'ONE', 'two']) {
      assert.equal(await store.replace(key, other, 'three', longMs), false)
    }
    assert.equal(await store.get(key), 'one')
    assert.equal(await store.replace(key, 'one', 'two', longMs), true)
    assert.equal(await store.get(key), 'two')
    assert.equal(await store.replace(key, 'one', 'three', longMs), false)
    assert.equal(await store.get(key), 'two')
  }),
  over('gives what it replaces another time, also by itself', async (store, key) => {
    const other = `${key}.other`
    await store.set(other, 'one', shortMs)
    await store.set(key, 'one', shortMs)
    assert.equal(await store.replace(key, 'one', 'one', longMs), true)
    await gone(store, other)
    assert.equal(await store.get(key), 'one')
    assert.equal(await store.replace(key, 'one', 'two', shortMs), true)
    await gone(store, key)
  }),
  over('removes just what it is told to', async (store, key) => {
    await store.set(key, 'one', longMs)
    assert.equal(await store.replace(key, 'two', undefined, longMs), false)
    assert.equal(await store.get(key), 'one')
    assert.equal(await store.replace(key, 'one', undefined, longMs), true)
    assert.equal(await store.get(key), undefined)
    assert.equal(await store.replace(key, 'one', undefined, longMs), false)
  }),
  over('lets one of many replace', async (store, key) => {
    await store.set(key, 'free', longMs)
    const taken = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => store.replace(key, 'free', `text ${index}`, longMs)),
    )
    assert.equal(taken.filter(Boolean).length, 1)
    assert.equal(await store.get(key), `text ${taken.indexOf(true)}`)
  }),
  over('does not replace what its time has taken', async (store, key) => {
    await store.set(key, 'one', shortMs)
    await gone(store, key)
    assert.equal(await store.replace(key, 'one', 'two', longMs), false)
    assert.equal(await store.get(key), undefined)
  }),
  over('keeps keys apart, whatever they are called', async (store, key) => {
    const keys = ['', '{a}', '}{', ':', ' ', 'é', '😀', '%', '*', 'x'.repeat(200)].map(end => `${key}${end}`)
    for (const each of keys) await store.set(each, each, longMs)
    for (const each of keys) assert.equal(await store.get(each), each)
  }),
]

function over(
  name: string,
  body: (store: AnswerStore, key: string) => Promise<void>,
): ConformanceCase<AnswerStore> {
  return { name, run: async make => body(await make(), `case:${randomUUID()}`) }
}

/** Resolves when nothing is kept any more. */
async function gone(store: AnswerStore, key: string): Promise<void> {
  const deadline = performance.now() + 5_000
  while ((await store.get(key)) !== undefined) {
    assert.ok(performance.now() < deadline, 'The text is there although its time is over.')
    await sleep(5)
  }
}
