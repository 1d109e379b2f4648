import assert from 'node:assert/strict'
import type { KeyRepository, KeySpec } from '@sluice/core/keys'
import type { ConformanceCase } from '../conformance-case.ts'
import { hostileTexts } from '../hostile-texts.ts'
import { clockedKeys } from './clocked-keys.ts'

/** How keys are issued, listed and found. */
export const keyIssues: readonly ConformanceCase<KeyRepository>[] = [
  {
    name: 'has no key at first',
    async run(make) {
      const { keys } = await clockedKeys(make)
      assert.deepEqual(await keys.list(), [])
      assert.equal(await keys.get('nobody'), undefined)
      assert.equal(await keys.find('0'.repeat(64)), undefined)
    },
  },
  {
    name: 'keeps what a key was issued for, and not the key',
    async run(make) {
      const { keys, find, now } = await clockedKeys(make)
      const spec: KeySpec = {
        name: "Ann's notebook",
        models: ['small', 'test-*'],
        tags: { team: 'search', '': 'empty' },
        limits: [
          {
            kind: 'requests',
            limit: 10,
            per: 'minute',
            scopes: ['key', 'tag:team'],
            operations: ['embed', 'countTokens'],
          },
        ],
        expiresAt: new Date(now + 86_400_000),
      }
      const { key, stored } = await keys.issue(spec)
      assert.deepEqual(await keys.get(stored.id), stored)
      assert.deepEqual(await keys.list(), [stored])
      const { id, name, models, tags, limits, expiresAt, createdAt, disabled, lastUsedAt } = stored
      assert.deepEqual(
        { name, models, tags, limits, expiresAt, createdAt, disabled, lastUsedAt },
        {
          ...spec,
          expiresAt: now + 86_400_000,
          createdAt: now,
          disabled: false,
          lastUsedAt: null,
        },
      )
      const found = await find(key)
      assert.equal(found?.id, id)
      assert.deepEqual([found?.models, found?.tags], [models, tags])
      assert.equal(found?.expiresAt, expiresAt)
      const secret = key.slice(key.lastIndexOf('_') + 1)
      assert.ok(!JSON.stringify(await keys.list()).includes(secret))
    },
  },
  {
    name: 'keeps a key without restrictions',
    async run(make) {
      const { keys, find } = await clockedKeys(make)
      const { key, stored } = await keys.issue({ name: 'all' })
      const kept = await keys.get(stored.id)
      assert.deepEqual(kept, stored)
      assert.deepEqual([kept?.models, kept?.tags, kept?.limits, kept?.expiresAt], [null, null, null, null])
      assert.equal((await find(key))?.disabled ?? false, false)
    },
  },
  {
    name: 'tells lists that are empty from none',
    async run(make) {
      const { keys } = await clockedKeys(make)
      const { stored } = await keys.issue({ name: 'nothing', models: [], tags: {}, limits: [] })
      const kept = await keys.get(stored.id)
      assert.deepEqual([kept?.models, kept?.tags, kept?.limits], [[], {}, []])
    },
  },
  {
    name: 'keeps any text, and finds by no text but the right one',
    async run(make) {
      const { rows } = await clockedKeys(make)
      const texts = hostileTexts.filter(([text, kept]) => text === kept).map(([text]) => text)
      for (const [index, text] of texts.entries()) {
        const key = {
          id: `id ${text}`,
          name: text,
          models: [text],
          tags: { [text]: text },
          limits: null,
          disabled: false,
          createdAt: index,
          expiresAt: null,
          lastUsedAt: null,
          secrets: [{ digest: `digest ${text}`, createdAt: index, expiresAt: null }],
        }
        await rows.insert(key)
        assert.deepEqual(await rows.get(key.id), key)
        assert.deepEqual(await rows.findByDigest(`digest ${text}`, index), key)
      }
      assert.equal((await rows.list()).length, texts.length)
      for (const text of [
        "' OR '1'='1",
        'digest%',
        'digest *',
        '',
        'digest it\0',
        '{}',
        '\ud83d',
        'DIGEST a.b',
      ]) {
        assert.equal(await rows.findByDigest(text, 0), undefined)
        assert.equal(await rows.get(text), undefined)
      }
    },
  },
  {
    name: 'lists the newest first',
    async run(make) {
      const { keys, pass } = await clockedKeys(make)
      for (const name of ['first', 'second', 'third']) {
        await keys.issue({ name })
        pass(1)
      }
      assert.deepEqual(
        (await keys.list()).map(({ name }) => name),
        ['third', 'second', 'first'],
      )
    },
  },
  {
    name: 'does not take the place of a key, nor its secret',
    async run(make) {
      const { rows, keys } = await clockedKeys(make)
      const { stored } = await keys.issue({ name: 'first' })
      const [secret] = stored.secrets
      await assert.rejects(rows.insert({ ...stored, name: 'same id', secrets: [] }))
      assert.ok(secret !== undefined)
      assert.deepEqual(await keys.list(), [stored])
      assert.equal((await rows.findByDigest(secret.digest, stored.createdAt))?.name, 'first')
    },
  },
  {
    name: 'issues 300 keys at once, and finds each of them',
    async run(make) {
      const { keys, find } = await clockedKeys(make)
      const issued = await Promise.all(
        Array.from({ length: 300 }, (_, index) => keys.issue({ name: `key ${index}` })),
      )
      const found = await Promise.all(issued.map(({ key }) => find(key)))
      assert.deepEqual(
        found.map(record => record?.id),
        issued.map(({ stored }) => stored.id),
      )
      assert.equal((await keys.list()).length, 300)
    },
  },
]
