import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apiKeys } from '@sluice/core'
import { keyStore } from '@sluice/core/keys'
import type { LedgerEntry } from '@sluice/core/ledger'
import { fileJournal, openPostgres, type PostgresClient, PostgresError } from '@sluice/postgres'
import { findClosedPort } from '@sluice/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { postgresKeyRepository } from '../../packages/postgres/src/key-repository.ts'
import { postgresLedgerRepository } from '../../packages/postgres/src/ledger-repository.ts'
import { migrations } from '../../packages/postgres/src/migrations.ts'
import { Queries } from '../../packages/postgres/src/queries.ts'
import { parseSchema } from '../../packages/postgres/src/schema.ts'
import { hostileTexts } from '../../packages/testing/src/conformance/hostile-texts.ts'
import { charge, closing, entry } from '../../packages/testing/src/conformance/ledger/records.ts'
import { startTask } from './programs/postgres-tasks.ts'
import { describeWithPostgres } from './servers/describe-with-postgres.ts'
import { PostgresServer } from './servers/postgres-server.ts'

describeWithPostgres('openPostgres', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server.dispose())

  /** A pool on a fresh database. */
  const fresh = async (config?: pg.PoolConfig) => server.pool(await server.database(), config)

  /** Tables as the first so many migrations make them. */
  async function makeTables(pool: pg.Pool, version: number): Promise<void> {
    const steps = migrations.slice(0, version).map((migration, index) => {
      const made = 'statements' in migration ? migration.statements(parseSchema()) : ''
      return `${made} insert into sluice.migrations (version) values (${index + 1});`
    })
    await pool.query(`create schema sluice;
      create table sluice.migrations (version integer primary key, applied_at timestamptz not null default now());
      ${steps.join('')}`)
  }

  /** A database that is open until the test ends. */
  async function opened(
    client: PostgresClient,
    options: Parameters<typeof openPostgres>[1] = { migrate: true },
  ) {
    const database = await openPostgres(client, options)
    onTestFinished(() => database.close())
    return database
  }

  describe('tables', () => {
    it('are missing: it says by which command they are made', async () => {
      const pool = await fresh()
      await expect(openPostgres(pool)).rejects.toThrow(
        "The tables in schema 'sluice' are missing, or older than this package needs. Run `npx sluice-postgres migrate` first.",
      )
      await expect(openPostgres(pool, { schema: 'my_own' })).rejects.toThrow('migrate --schema my_own`')
      await expect(openPostgres(pool)).rejects.toMatchObject({ name: 'PostgresError', unmigrated: true })
    })

    it('are lost while it runs: whatever is asked says it', async () => {
      const pool = await fresh()
      const { keys, usage } = await opened(pool)
      await pool.query('drop schema sluice cascade')
      await expect(keys.list()).rejects.toThrow('npx sluice-postgres migrate')
      await expect(usage({ by: [] })).rejects.toThrow('npx sluice-postgres migrate')
    })

    it('are made once, also by four processes at the same time', async () => {
      const name = await server.database()
      const tasks = await Promise.all(
        Array.from({ length: 4 }, () => startTask({ what: 'migrate', url: server.url(name) })),
      )
      expect(await Promise.all(tasks.map(({ ended }) => ended))).toEqual([0, 0, 0, 0])
      expect(await server.run('select version from sluice.migrations', name)).toEqual([
        { version: 1 },
        { version: 2 },
        { version: 3 },
        { version: 4 },
        { version: 5 },
        { version: 6 },
        { version: 7 },
        { version: 8 },
        { version: 9 },
        { version: 10 },
        { version: 11 },
      ])
      await opened(server.pool(name), {})
    })

    it('are made once by many connections of one pool', async () => {
      const pool = await fresh()
      const all = await Promise.all(Array.from({ length: 10 }, () => opened(pool)))
      await Promise.all(all.map(({ migrate }) => migrate()))
      expect((await pool.query('select version from sluice.migrations')).rows).toEqual([
        { version: 1 },
        { version: 2 },
        { version: 3 },
        { version: 4 },
        { version: 5 },
        { version: 6 },
        { version: 7 },
        { version: 8 },
        { version: 9 },
        { version: 10 },
        { version: 11 },
      ])
    })

    it('of version 1 are brought up to date where they are: what they hold are requests', async () => {
      const pool = await fresh()
      await makeTables(pool, 1)
      // As a process of that version writes, also while others are newer already.
      const write = (id: string) =>
        pool.query(
          `insert into sluice.requests (id, request_id, principal, tags, model, stream, opened_at, closed_at, outcome,
            status, attempts, prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, estimated)
          values ($1, 'req', 'ann', '{}', 'm', false, now(), now(), 'completed', 200, 1, 5, 0, 0, 0, false)`,
          [id],
        )
      await write('a')
      await expect(openPostgres(pool)).rejects.toMatchObject({ unmigrated: true })
      const { usage } = await opened(pool)
      await write('b')
      expect(await usage({ by: ['key', 'kind'] })).toMatchObject([
        { by: { key: 'ann', kind: 'request' }, requests: 2, promptTokens: 10 },
      ])
      const closed = closing(entry({ id: 'c' }), { upstreamModel: 'up', responseModel: 'up-2026-01-01' })
      await write('d')
      await (await opened(pool)).ledger.close(closed)
      const columns = 'select upstream_model, response_model from sluice.requests order by id'
      expect((await pool.query(columns)).rows.slice(2)).toEqual([
        { upstream_model: 'up', response_model: 'up-2026-01-01' },
        { upstream_model: null, response_model: null },
      ])
    })

    it('of version 5 hold chat completions, also those that a process of it still writes', async () => {
      const pool = await fresh()
      await makeTables(pool, 5)
      const write = (id: string) =>
        pool.query(
          `insert into sluice.requests (kind, id, request_id, principal, tags, model, stream, opened_at, closed_at,
            outcome, status, attempts, prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, estimated)
          values ('request', $1, 'req', 'ann', '{}', 'm', false, now(), now(), 'completed', 200, 1, 5, 0, 0, 0, false)`,
          [id],
        )
      await write('a')
      await expect(openPostgres(pool)).rejects.toMatchObject({ unmigrated: true })
      const folder = mkdtempSync(join(tmpdir(), 'sluice-'))
      onTestFinished(() => rmSync(folder, { recursive: true }))
      const journal = fileJournal(folder)
      // As a process of that version has left it in its journal.
      const { operation, dialect, ...older } = entry({ id: 'c' })
      await journal.append({ entries: [], closings: [closing(older as LedgerEntry)], progress: [] })
      const { usage } = await opened(pool, { migrate: true, journal })
      await expect.poll(() => journal.empty).toBe(true)
      await write('b')
      expect(await usage({ by: ['key', 'source', 'user', 'operation', 'dialect'] })).toMatchObject([
        {
          by: { key: 'ann', source: null, user: null, operation: 'generate', dialect: 'chat' },
          requests: 3,
          promptTokens: 20,
        },
      ])
      expect(await usage({ by: [], where: { operation: 'embed' } })).toMatchObject([{ requests: 0 }])
    })

    it('of version 3 have the outcome client_aborted renamed, also in rows that come later and from a journal', async () => {
      const pool = await fresh()
      await makeTables(pool, 3)
      // As a process of that version writes, also while others are newer already.
      const write = (id: string, outcome: string | null) =>
        pool.query(
          `insert into sluice.requests (id, request_id, principal, tags, model, stream, opened_at, closed_at, outcome,
            status, attempts, prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, estimated)
          values ($1, 'req', 'ann', '{}', 'm', false, now(), now(), $2, 200, 1, 5, 0, 0, 0, false)
          on conflict (id) do update set outcome = excluded.outcome`,
          [id, outcome],
        )
      await write('a', 'client_aborted')
      await write('b', 'completed')
      await write('c', null)
      await pool.query(`insert into sluice.requests (id, request_id, principal, tags, model, stream, opened_at, outcome,
          prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens)
        select 'm' || n, 'req', 'ann', '{}', 'm', false, now(), 'client_aborted', 5, 0, 0, 0 from generate_series(1, 25000) n`)
      const folder = mkdtempSync(join(tmpdir(), 'sluice-'))
      onTestFinished(() => rmSync(folder, { recursive: true }))
      const journal = fileJournal(folder)
      const old = closing(entry({ id: 'd' }), { outcome: 'client_aborted' as 'client_disconnected' })
      await journal.append({ entries: [], closings: [old], progress: [] })
      const { migrate } = await opened(pool, { migrate: true, journal })
      await expect.poll(() => journal.empty).toBe(true)
      await write('b', 'client_aborted')
      await write('e', 'client_aborted')
      await write('f', 'lost')
      await migrate()
      const { rows } = await pool.query(
        'select outcome, count(*)::int from sluice.requests group by outcome order by outcome',
      )
      expect(rows).toEqual([
        { outcome: 'client_disconnected', count: 25_004 },
        { outcome: 'lost', count: 1 },
        { outcome: null, count: 1 },
      ])
    })

    it('of version 3 go on renaming where that was interrupted', async () => {
      const pool = await fresh()
      await makeTables(pool, 3)
      await pool.query(`insert into sluice.requests (id, request_id, principal, tags, model, stream, opened_at, outcome,
          prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens)
        select 'm' || n, 'req', 'ann', '{}', 'm', false, now(), 'client_aborted', 5, 0, 0, 0 from generate_series(1, 15000) n`)
      const left = async () => {
        const sql = "select count(*)::int from sluice.requests where outcome = 'client_aborted'"
        return (await pool.query(sql)).rows[0].count
      }
      let batches = 0
      const breaking: PostgresClient = {
        async query(text, params) {
          if (text.startsWith('with batch') && ++batches === 2) throw new Error('The connection is lost.')
          return pool.query(text, params)
        },
      }
      await expect(openPostgres(breaking, { migrate: true })).rejects.toThrow()
      expect(await left()).toBe(5_000)
      await expect(openPostgres(pool)).rejects.toMatchObject({ unmigrated: true })
      await opened(pool)
      expect(await left()).toBe(0)
    })

    it('of version 3 have a key with a shadow rule, which is let in and stays a dry run', async () => {
      const pool = await fresh()
      await makeTables(pool, 3)
      const { key, stored } = await keyStore(postgresKeyRepository(new Queries(pool, parseSchema()))).issue({
        name: 'a',
      })
      const limits = '[{"kind":"requests","limit":1,"per":"minute","shadow":true}]'
      await pool.query('update sluice.keys set limits = $1', [limits])
      const { keys } = await opened(pool)
      const request = new Request('http://a/', { headers: { authorization: `Bearer ${key}` } })
      expect(await apiKeys(keys)(request, undefined)).toMatchObject({
        id: stored.id,
        limits: [{ kind: 'requests', limit: 1, per: 'minute', mode: 'dryRun' }],
      })
    })

    it('are made in a schema of their own, beside others', async () => {
      const pool = await fresh()
      const one = await opened(pool, { migrate: true, schema: 'one' })
      const other = await opened(pool, { migrate: true, schema: '_other2' })
      await one.keys.issue({ name: 'a' })
      expect(await one.keys.list()).toHaveLength(1)
      expect(await other.keys.list()).toEqual([])
    })

    it('are made in a schema that an administrator has made, without the right to make schemas', async () => {
      const name = await server.database()
      await server.run('create schema sluice; create user plain; grant all on schema sluice to plain', name)
      const { keys } = await opened(
        server.pool(name, {
          user: 'plain',
          connectionString: undefined,
          host: '127.0.0.1',
          port: server.port,
          database: name,
        }),
      )
      await keys.issue({ name: 'a' })
    })

    it('are made whole or not at all', async () => {
      const pool = await fresh()
      await pool.query('create schema sluice; create table sluice.keys (id text)')
      await expect(openPostgres(pool, { migrate: true })).rejects.toThrow('(42P07)')
      const { rows } = await pool.query("select tablename from pg_tables where schemaname = 'sluice'")
      expect(rows).toEqual([{ tablename: 'keys' }])
    })

    it('are newer: they will do', async () => {
      const pool = await fresh()
      await opened(pool)
      await pool.query('insert into sluice.migrations (version) values (99)')
      await opened(pool, {})
    })

    it('are in a database that has not every character: it is refused', async () => {
      await server.run("create database latin encoding 'LATIN1' template template0")
      await expect(openPostgres(server.pool('latin'), { migrate: true })).rejects.toThrow('LATIN1')
    })
  })

  describe('refuses', () => {
    it.each([
      ['no client', undefined, {}, 'openPostgres(): got undefined, expected a client'],
      ['a client without query', {}, {}, 'openPostgres(): got an empty object, expected a client'],
      ['a schema that is no text', 'pool', { schema: 5 }, 'schema: expected'],
      ['a schema that would break SQL', 'pool', { schema: 'a"; drop table x; --' }, 'schema: expected'],
      ['a schema with a capital', 'pool', { schema: 'Sluice' }, 'schema: expected'],
      ["a schema of PostgreSQL's", 'pool', { schema: 'pg_temp' }, 'schema: expected'],
      ['a schema that is too long', 'pool', { schema: 'x'.repeat(64) }, 'schema: expected'],
      ['a migrate that is neither', 'pool', { migrate: 'yes' }, "migrate: got 'yes', expected true or false"],
      ['a journal without a path', 'pool', { journal: '' }, 'expected the path of a directory'],
      ['options of the ledger that are none', 'pool', { migrate: true, timeoutMs: 0 }, 'timeoutMs'],
      ['options of keys that are none', 'pool', { migrate: true, prefix: 'A B' }, 'prefix'],
    ])('%s', async (_, client, options, words) => {
      const given = client === 'pool' ? server.pool() : client
      const opening = openPostgres(given as PostgresClient, options as object)
      await expect(opening).rejects.toThrow(TypeError)
      await expect(opening).rejects.toThrow(words)
    })

    it('a user without rights, at once', async () => {
      const name = await server.database()
      await server.run('create user stranger', name)
      await opened(server.pool(name))
      const config = { connectionString: undefined, host: '127.0.0.1', port: server.port, database: name }
      await expect(openPostgres(server.pool(name, { ...config, user: 'stranger' }))).rejects.toThrow(
        '(42501)',
      )
      await expect(openPostgres(server.pool(name, { ...config, user: 'nobody' }))).rejects.toThrow('(28000)')
    })

    it('a database that is not there, at once, and tells nothing of where it looked', async () => {
      const failed = await openPostgres(server.pool('not_there')).catch((error: unknown) => error)
      expect(failed).toBeInstanceOf(PostgresError)
      expect(String(failed)).toBe('PostgresError: The PostgreSQL query failed (3D000).')
      expect(JSON.stringify(failed)).not.toContain('not_there')
      expect((failed as Error).cause).toBeUndefined()
    })
  })

  it('takes no option that another library has added to every object', async () => {
    const pool = await fresh()
    const added = { schema: 'evil', migrate: true, prefix: 'evil', maxPending: 0, journal: 7 }
    await opened(pool)
    const properties = Object.fromEntries(
      Object.entries(added).map(([name, value]) => [name, { value, configurable: true }]),
    )
    Object.defineProperties(Object.prototype, properties)
    try {
      const { keys } = await opened(pool, {})
      expect((await keys.issue({ name: 'a' })).key).toMatch(/^sluice_/)
    } finally {
      for (const name of Object.keys(added)) Reflect.deleteProperty(Object.prototype, name)
    }
    const { rows } = await pool.query("select nspname from pg_namespace where nspname = 'evil'")
    expect(rows).toEqual([])
  })

  it('starts where the database cannot be reached, and works when it can', async () => {
    const name = await server.database()
    await opened(server.pool(name))
    const port = await findClosedPort()
    let reached: pg.Pool = new pg.Pool({ host: '127.0.0.1', port })
    onTestFinished(() => reached.end())
    const { keys, ledger, usage } = await opened({ query: (text, params) => reached.query(text, params) }, {})
    await expect(keys.list()).rejects.toThrow('(ECONNREFUSED)')
    const record = entry()
    await ledger.open(record, () => undefined)
    await reached.end()
    reached = new pg.Pool({ connectionString: server.url(name) })
    expect(await keys.list()).toEqual([])
    await ledger.flush?.()
    await vi.waitFor(async () => expect(await usage({ by: [] })).toMatchObject([{ requests: 1 }]), 5_000)
  })

  it('starts where the database says nothing, after five seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const silent: PostgresClient = { query: () => new Promise(() => {}) }
    const opening = openPostgres(silent)
    const migrating = openPostgres(silent, { migrate: true })
    migrating.catch(() => {})
    await vi.advanceTimersByTimeAsync(5_000)
    await (await opening).close()
    await expect(migrating).rejects.toThrow('did not answer within 5000 ms')
  })

  it('takes another client than that of pg, whatever its values look like', async () => {
    const pool = await fresh()
    const types = { getTypeParser: () => (value: unknown) => `${value}` }
    const client = {
      query: (text: string, values?: string[]) => pool.query({ text, types, ...(values && { values }) }),
    }
    const { keys, ledger, usage } = await opened(client as PostgresClient)
    const { stored } = await keys.issue({ name: 'a', expiresAt: 1, tags: { a: 'b' } })
    expect(await keys.get(stored.id)).toEqual(stored)
    const record = entry()
    await ledger.open(record, () => undefined)
    await ledger.close(closing(record))
    expect(await usage({ by: ['day'] })).toMatchObject([{ by: { day: '2026-11-21' }, requests: 1 }])
  })

  it('says so where a client gives something else than rows of text', async () => {
    const client = {
      query: async () => ({ rows: [{ version: `${migrations.length}`, encoding: 'UTF8', requests: 1 }] }),
    }
    const { usage } = await opened(client, {})
    await expect(usage({ by: [] })).rejects.toThrow(
      "The client of PostgreSQL gave a row without a text in 'requests'.",
    )
  })

  it('takes every text of a caller as a text', async () => {
    const pool = await fresh()
    const { keys, ledger, usage } = await opened(pool)
    const texts = [...hostileTexts.map(([text]) => text), `'; drop schema sluice cascade; --`, '$1::text']
    for (const text of texts) {
      const record = entry({ requestId: text, principal: text, model: text, tags: { [text]: text } })
      await ledger.open(record, () => charge(1))
      await ledger.close(
        closing(record, { provider: text, upstreamModel: text, outcome: text as 'completed' }),
      )
      await usage({ by: ['key', 'model', 'provider', `tag:${text}`] })
      expect(await keys.get(text)).toBeUndefined()
      expect(await keys.find(text)).toBeUndefined()
      await expect(keys.update(text, { name: 'x' })).rejects.toThrow(TypeError)
      await expect(keys.rotate(text)).rejects.toThrow(TypeError)
    }
    expect(await usage({ by: [] })).toMatchObject([{ requests: texts.length, open: 0 }])
  })

  it('tells neither SQL nor values nor hosts where the database refuses', async () => {
    const pool = await fresh()
    const { keys, usage } = await opened(pool)
    await pool.query(`create function sluice.refuse() returns trigger language plpgsql as
      $$ begin raise exception 'SECRET %', new.name using detail = 'SECRET', hint = 'SECRET'; end $$;
      create trigger refuse before insert on sluice.keys for each row execute function sluice.refuse()`)
    const failed = await keys.issue({ name: 'SECRET' }).catch((error: unknown) => error)
    expect(failed).toMatchObject({ name: 'PostgresError', code: 'P0001' })
    const { inspect } = await import('node:util')
    expect(inspect(failed, { depth: 9, showHidden: true })).not.toMatch(/SECRET|insert into|127\.0\.0\.1/)
    await expect(usage({ by: [] })).resolves.toBeDefined()
  })

  it('finds keys where nothing can be written', async () => {
    const name = await server.database()
    const { keys } = await opened(server.pool(name))
    const { key, stored } = await keys.issue({ name: 'a' })
    const pool = server.pool(name, { options: '-c default_transaction_read_only=on' })
    const reading = await opened(pool, {})
    const [digest = ''] = keys.digests(key)
    expect(await reading.keys.find(digest)).toMatchObject({ id: stored.id })
    await expect(reading.keys.issue({ name: 'b' })).rejects.toThrow('(25006)')
  })

  it('finds one of many keys by an index, also where nothing is known yet of the tables', async () => {
    const pool = await fresh()
    const asked: string[] = []
    const client: PostgresClient = {
      query(text, params) {
        asked.push(text)
        return pool.query(text, params)
      },
    }
    const { keys } = await opened(client)
    await pool.query(`
      alter table sluice.keys set (autovacuum_enabled = off);
      alter table sluice.key_digests set (autovacuum_enabled = off);
      insert into sluice.keys (id, name, disabled, created_at, secrets) select n::text, 'many', false, now(),
        jsonb_build_array(jsonb_build_object('digest', 'd' || n, 'createdAt', 0, 'expiresAt', null))
        from generate_series(1, 20000) as n;
      insert into sluice.key_digests (digest, key_id) select 'd' || n, n::text from generate_series(1, 20000) as n`)
    expect(await keys.find('d7777')).toMatchObject({ id: '7777' })
    const { rows } = await pool.query(`explain ${asked.at(-1)}`, ['d7777', '0'])
    expect(JSON.stringify(rows)).toContain('Index Scan')
    expect(JSON.stringify(rows)).not.toContain('Seq Scan')
  })

  it('keeps no digest of a secret that is gone, and none of a key that is deleted', async () => {
    const pool = await fresh()
    let now = 1
    const { keys } = await opened(pool, { migrate: true, now: () => now++ })
    const { stored } = await keys.issue({ name: 'a' })
    const { stored: other } = await keys.issue({ name: 'b' })
    const digests = async () =>
      (await pool.query('select digest from sluice.key_digests')).rows.map(({ digest }) => digest).sort()
    for (let times = 0; times < 3; times++) await keys.rotate(stored.id, { overlapMs: 1 })
    const known = (await keys.list()).flatMap(({ secrets }) => secrets.map(({ digest }) => digest))
    expect(known).toContain(other.secrets[0]?.digest)
    expect(known.length).toBeLessThan(5)
    expect(await digests()).toEqual(known.sort())
    await pool.query('delete from sluice.keys')
    expect(await digests()).toEqual([])
    expect(await keys.find(known[0] ?? '')).toBeUndefined()
  })

  it('finds keys for a user who may only read them', async () => {
    const name = await server.database()
    const { keys } = await opened(server.pool(name))
    const { key, stored } = await keys.issue({ name: 'a' })
    await server.run(
      'create user reader; grant usage on schema sluice to reader; grant select on all tables in schema sluice to reader',
      name,
    )
    const config = { connectionString: undefined, host: '127.0.0.1', port: server.port, database: name }
    const reading = await opened(server.pool(name, { ...config, user: 'reader' }), {})
    const [digest = ''] = keys.digests(key)
    expect(await reading.keys.find(digest)).toMatchObject({ id: stored.id })
    await expect(reading.keys.update(stored.id, { disabled: true })).rejects.toThrow('(42501)')
    await server.run('revoke select on sluice.keys from reader', name)
    await expect(reading.keys.find(digest)).rejects.toThrow('(42501)')
  })

  it('waits for nobody who holds a row to find a key, to note that a request lives, or to look for orphans', async () => {
    const pool = await fresh()
    const { keys } = await opened(pool)
    const rows = postgresLedgerRepository(new Queries(pool, parseSchema()))
    const { key } = await keys.issue({ name: 'a' })
    const record = entry()
    await rows.write({ entries: [record], closings: [], progress: [] })
    const holder = await pool.connect()
    onTestFinished(() => holder.release())
    await holder.query(
      'begin; select * from sluice.keys for update; select * from sluice.requests for update',
    )
    const [digest = ''] = keys.digests(key)
    expect(await keys.find(digest)).toBeDefined()
    await rows.write({ entries: [], closings: [], progress: [{ id: record.id, charge: charge(1) }] })
    expect(await rows.closeOrphans(0)).toBe(0)
    await holder.query('rollback')
    expect(await rows.closeOrphans(0)).toBe(1)
  })

  it('keeps no digest of a deleted key, and its records', async () => {
    const pool = await fresh()
    const { keys, ledger, usage } = await opened(pool)
    const { stored } = await keys.issue({ name: 'a' })
    await keys.rotate(stored.id, { overlapMs: 60_000 })
    await ledger.close(closing(entry({ principal: stored.id })))
    await ledger.flush?.()
    expect([await keys.delete(stored.id), await keys.delete(stored.id)]).toEqual([true, false])
    expect((await pool.query('select digest from sluice.key_digests')).rows).toEqual([])
    expect(await usage({ by: ['key'] })).toMatchObject([{ by: { key: stored.id }, requests: 1 }])
  })

  it('finds the records of one key by an index', async () => {
    const pool = await fresh()
    await opened(pool)
    await pool.query(`insert into sluice.requests (id, request_id, principal, tags, model, stream, opened_at,
        prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens)
      select n::text, '', 'key ' || n % 500, '{}', 'm', false, timestamptz 'epoch' + n * interval '1 second', 0, 0, 0, 0
      from generate_series(1, 20000) as n`)
    await pool.query('analyze sluice.requests')
    const plans: string[] = []
    const explaining: PostgresClient = {
      async query(text, params) {
        plans.push(JSON.stringify((await pool.query(`explain ${text}`, params)).rows))
        return pool.query(text, params)
      },
    }
    const { usage } = postgresLedgerRepository(new Queries(explaining, parseSchema()))
    const where = { key: 'key 7', tags: {} }
    expect(await usage({ by: ['model'], from: 7_000_000, to: 9_000_000, where })).toMatchObject([
      { requests: 4 },
    ])
    expect(plans).toEqual([expect.stringMatching(/requests_principal.*principal.*opened_at/)])
  })

  it('leaves the pool to its owner', async () => {
    const pool = await fresh()
    const database = await openPostgres(pool, { migrate: true })
    await Promise.all([database.close(), database.close()])
    await expect(pool.query('select 1')).resolves.toBeDefined()
  })

  it('makes the directory of a journal', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    await opened(await fresh(), { migrate: true, journal: join(folder, 'journal') })
    expect(readdirSync(folder)).toEqual(['journal'])
  })
})
