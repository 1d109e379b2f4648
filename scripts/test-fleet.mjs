// Runs a fleet on one machine, with failing hosts and networks: `pnpm test:fleet [SCENARIO...]`. Network namespaces are its hosts;
// see test/fleet. Needs Linux, root, and the programs below. All that it starts is in namespaces of its own, which the kernel
// removes with their last process, whatever ends this one. `FLEET_LOGS=FOLDER` copies what its servers have logged.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { root, run } from './run.mjs'

/** The most that a whole run may take, in milliseconds. */
const mostMs = 15 * 60_000

/** Programs, and the packages of Debian that have them. */
const programs = {
  unshare: 'util-linux',
  nsenter: 'util-linux',
  setpriv: 'util-linux',
  ip: 'iproute2',
  perl: 'perl-base',
  nginx: 'nginx-light',
  'redis-server': 'redis-server',
  pgbouncer: 'pgbouncer',
}

process.env.PATH = `${process.env.PATH}${delimiter}/usr/sbin${delimiter}/sbin`
const missing = whatIsMissing()
if (missing !== undefined) {
  console.error(`cannot run here: ${missing}`)
  process.exit(2)
}

run(process.execPath, ['scripts/build.mjs', '--if-changed', '--no-types'])
const folder = mkdtempSync(join(tmpdir(), 'sluice-fleet-'))
// Files of all servers are in memory, and gone with the namespace.
const inside = `
mount -t tmpfs tmpfs /run && mount -t tmpfs -o mode=755 tmpfs "$FLEET_FOLDER" &&
  echo '127.0.0.1 localhost' >"$FLEET_FOLDER/hosts" && mount --bind "$FLEET_FOLDER/hosts" /etc/hosts || { echo 'cannot run here: mount failed.' >&2; exit 2; }
"$@"
status=$?
if [ -n "$FLEET_LOGS" ]; then mkdir -p "$FLEET_LOGS" && cp "$FLEET_FOLDER"/*.log "$FLEET_FOLDER"/nginx/*.log "$FLEET_LOGS"; fi
exit $status
`
const child = spawn(
  'unshare',
  [
    ...['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'],
    ...['sh', '-c', inside, 'fleet', process.execPath, '--import', import.meta.resolve('tsx')],
    ...['--conditions=@sluice/source', join(root, 'test/fleet/fleet.ts'), folder, ...process.argv.slice(2)],
  ],
  // It ends with its standard input: also if this process is killed.
  { cwd: root, stdio: ['pipe', 'inherit', 'inherit'], env: { ...process.env, FLEET_FOLDER: folder } },
)
const timer = setTimeout(() => {
  console.error(`The run took more than ${mostMs / 60_000} minutes, and was stopped.`)
  child.kill('SIGKILL')
}, mostMs)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill('SIGKILL'))
const [code] = await once(child, 'exit')
clearTimeout(timer)
rmSync(folder, { recursive: true, force: true })
process.exitCode = code ?? 1

function whatIsMissing() {
  if (process.platform !== 'linux') return 'it needs Linux.'
  if (process.getuid() !== 0) return 'it needs root, for network namespaces.'
  try {
    accessSync('/dev/net/tun', constants.R_OK | constants.W_OK)
  } catch {
    return 'there is no /dev/net/tun.'
  }
  const folders = process.env.PATH.split(delimiter)
  const packages = Object.entries(programs)
    .filter(([name]) => !folders.some(path => existsSync(join(path, name))))
    .map(([, name]) => name)
  if (!hasPostgres(folders)) packages.push('postgresql')
  if (packages.length > 0) return `apt-get install ${[...new Set(packages)].join(' ')} is needed first.`
  try {
    execFileSync('unshare', ['--net', '--mount', '--pid', '--fork', '--mount-proc', 'true'], {
      stdio: 'pipe',
    })
  } catch (error) {
    return `unshare failed: ${String(error.stderr).trim()}`
  }
  return undefined
}

function hasPostgres(folders) {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).map(version => join(debian, version, 'bin')) : []
  return [...folders, ...versions].some(path => existsSync(join(path, 'pg_basebackup')))
}
