import assert from 'node:assert/strict'
import type { LedgerRepository, UsageQuery } from '@sluice/core/ledger'
import type { ConformanceCase } from '../conformance-case.ts'
import { hostileTexts } from '../hostile-texts.ts'
import { batch, closing, entry } from './records.ts'

type Filter = NonNullable<UsageQuery['where']>

/** Usage of filtered requests. */
export const ledgerFilters: readonly ConformanceCase<LedgerRepository>[] = [
  {
    name: 'tells the usage of what matches all that was asked for',
    async run(make) {
      const rows = await make()
      const made = [
        ['ann', 'small', 'openai', { team: 'x', stage: 'test' }, 1_000],
        ['ann', 'large', 'openai', { team: 'x' }, 2_000],
        ['ann', 'large', 'azure', { team: 'y' }, 3_000],
        ['bob', 'large', 'azure', { team: 'x', stage: 'test' }, 4_000],
        ['Ann', 'small', undefined, { team: '' }, 5_000],
        ['', '', '', {}, 6_000],
      ] as const
      await rows.write(
        batch({
          entries: [entry({ principal: 'ann', model: 'large', tags: {}, openedAt: 7_000 })],
          closings: made.map(([principal, model, provider, tags, openedAt]) =>
            closing(entry({ principal, model, tags, openedAt }), { provider }),
          ),
        }),
      )
      const expected: readonly (readonly [Filter, readonly number[]])[] = [
        [{}, [1, 2, 3, 4, 5, 6, 7]],
        [{ key: 'ann' }, [1, 2, 3, 7]],
        [{ key: 'ANN' }, []],
        [{ key: 'an' }, []],
        [{ key: 'ann ' }, []],
        [{ key: '' }, [6]],
        [{ model: 'large' }, [2, 3, 4, 7]],
        [{ provider: 'azure' }, [3, 4]],
        [{ provider: 'nobody' }, []],
        [{ tags: {} }, [1, 2, 3, 4, 5, 6, 7]],
        [{ tags: { team: 'x' } }, [1, 2, 4]],
        [{ tags: { team: '' } }, [5]],
        [{ tags: { toString: '' } }, []],
        [{ tags: { team: 'x', stage: 'test' } }, [1, 4]],
        [{ key: 'ann', model: 'large' }, [2, 3, 7]],
        [{ key: 'ann', model: 'large', provider: 'openai', tags: { team: 'x' } }, [2]],
        [{ key: 'bob', tags: { team: 'y' } }, []],
      ]
      for (const [where, times] of expected) {
        const found: number[] = []
        for (let at = 1; at <= made.length + 1; at++) {
          const query = { by: [], from: at * 1_000, to: at * 1_000 + 1, where }
          if ((await rows.usage(query))[0]?.requests === 1) found.push(at)
        }
        assert.deepEqual(found, times, JSON.stringify(where))
        const [all] = await rows.usage({ by: [], where })
        assert.deepEqual([all?.requests, all?.open], [times.length, times.includes(7) ? 1 : 0])
      }
      assert.deepEqual(
        (await rows.usage({ by: ['tag:team', 'model'], where: { key: 'ann', tags: { team: 'x' } } })).map(
          ({ by, requests, promptTokens }) => [by, requests, promptTokens],
        ),
        [
          [{ 'tag:team': 'x', model: 'large' }, 1, 10],
          [{ 'tag:team': 'x', model: 'small' }, 1, 10],
        ],
      )
      assert.deepEqual(await rows.usage({ by: ['key'], where: { key: 'nobody' } }), [])
    },
  },
  {
    name: 'tells principals of one id apart by their source, and requests by operation, dialect and end user',
    async run(make) {
      const rows = await make()
      const made = [
        { source: 'api_keys', operation: 'generate', dialect: 'chat', user: 'eve' },
        { source: 'jwt', operation: 'generate', dialect: 'messages', user: 'eve' },
        { source: undefined, operation: 'embed', dialect: 'embeddings', user: undefined },
        { principal: 'bob', source: 'jwt', operation: 'countTokens', dialect: 'messages', user: 'Eve' },
      ] as const
      await rows.write(
        batch({ closings: made.map((each, index) => closing(entry({ ...each, openedAt: index + 1 }))) }),
      )
      const expected: readonly (readonly [Filter, readonly number[]])[] = [
        [{ key: 'ann' }, [1, 2, 3]],
        [{ key: 'ann', source: 'jwt' }, [2]],
        [{ source: 'jwt' }, [2, 4]],
        [{ source: 'nowhere' }, []],
        [{ user: 'eve' }, [1, 2]],
        [{ user: 'Eve', key: 'ann' }, []],
        [{ operation: 'generate' }, [1, 2]],
        [{ operation: 'embed' }, [3]],
        [{ operation: 'countTokens', dialect: 'messages' }, [4]],
        [{ dialect: 'messages', key: 'ann', source: 'jwt', user: 'eve', operation: 'generate' }, [2]],
        [{ dialect: 'Chat' }, []],
      ]
      for (const [where, times] of expected) {
        const found: number[] = []
        for (let at = 1; at <= made.length; at++) {
          if ((await rows.usage({ by: [], from: at, to: at + 1, where }))[0]?.requests === 1) found.push(at)
        }
        assert.deepEqual(found, times, JSON.stringify(where))
      }
    },
  },
  {
    name: 'takes what has to match as data',
    async run(make) {
      const rows = await make()
      const entries = hostileTexts.map(([text], index) =>
        entry({
          principal: text,
          source: text,
          user: text,
          dialect: text,
          model: text,
          tags: { [text]: text },
          openedAt: index,
        }),
      )
      await rows.write(
        batch({ closings: entries.map(opened => closing(opened, { provider: opened.model })) }),
      )
      for (const [index, [text]] of hostileTexts.entries()) {
        const filters = [
          { key: text },
          { model: text },
          { provider: text },
          { dialect: text },
          // An empty text is none.
          ...(text === '' ? [] : [{ source: text }, { user: text }]),
          { tags: { [text]: text } },
        ]
        for (const where of [...filters, Object.assign({}, ...filters)] as readonly Filter[]) {
          const [row] = await rows.usage({ by: [], from: index, to: index + 1, where })
          assert.equal(row?.requests, 1, JSON.stringify(where).slice(0, 100))
        }
        const [none] = await rows.usage({ by: [], where: { tags: { [text]: `${text}x` } } })
        assert.equal(none?.requests, 0)
      }
      assert.equal((await rows.usage({ by: [] }))[0]?.requests, entries.length)
    },
  },
  {
    name: 'tells ids apart that are long and begin alike',
    async run(make) {
      const rows = await make()
      // Of so many characters that no database makes it short.
      let seed = 1
      const long = Array.from({ length: 8_000 }, () => {
        seed = (seed * 48_271) % 2_147_483_647
        return String.fromCodePoint(0x4e00 + (seed % 20_000))
      }).join('')
      const principals = ['a', 'b', 'b', ''].map(end => long + end)
      await rows.write(
        batch({ closings: principals.map(principal => closing(entry({ principal, model: principal }))) }),
      )
      const count = async (where: Filter) => (await rows.usage({ by: [], where }))[0]?.requests
      assert.equal(await count({ key: `${long}a` }), 1)
      assert.equal(await count({ key: `${long}b` }), 2)
      assert.equal(await count({ key: long }), 1)
      assert.equal(await count({ key: `${long}c` }), 0)
    },
  },
  {
    name: 'refuses a filter that it cannot ask for, and tells no total in its place',
    async run(make) {
      const rows = await make()
      const wrong: readonly unknown[] = [
        null,
        'ann',
        { team: 'x' },
        { key: undefined },
        { key: 7 },
        { model: ['small'] },
        { provider: null },
        { user: undefined },
        { source: 7 },
        { operation: 'chat' },
        { operation: undefined },
        { dialect: null },
        { tags: ['team'] },
        { tags: { team: undefined } },
      ]
      for (const where of wrong) {
        await assert.rejects(
          async () => rows.usage({ by: [], where } as UsageQuery),
          (error: unknown) => error instanceof TypeError && error.message.startsWith('usage(): '),
          JSON.stringify(where),
        )
      }
    },
  },
]
