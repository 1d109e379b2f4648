import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { findClosedPort } from '@sluice/testing'
import { generate } from 'selfsigned'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../docs/runner/temporary-folder.ts'
import { checkNginx, nginxPath } from '../resilience/faults/harness/nginx.ts'
import { parseDeploy, readDeploy, root, stopSeconds } from './files.ts'

const run = promisify(execFile)
const unit = readDeploy('systemd/sluice@.service')

/** Where a command is on this machine; `undefined` where it is not. */
function pathOf(command: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map(folder => join(folder, command))
    .find(existsSync)
}

const caddy = pathOf('caddy')
const promtool = pathOf('promtool')
const systemdAnalyze = pathOf('systemd-analyze')
for (const [name, path] of Object.entries({ nginx: nginxPath, caddy, promtool, systemdAnalyze })) {
  if (path === undefined) console.warn(`${name} is not installed: what it checks in deploy is left out.`)
}

describe('the nginx files', () => {
  it.skipIf(nginxPath === undefined)('are valid for nginx -t', async () => {
    const folder = temporaryFolder()
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'gateway.example.com' }], {})
    writeFileSync(join(folder, 'privkey.pem'), key)
    writeFileSync(join(folder, 'fullchain.pem'), cert)
    // nginx -t opens the ports, for which only root may have those of the file.
    const [plain, secure] = [await findClosedPort(), await findClosedPort()]
    const site = readDeploy('nginx/sluice.conf')
      .replaceAll('/etc/ssl/sluice', folder)
      .replaceAll(/listen (\[::\]:)?80;/g, (_, v6 = '') => `listen ${v6}${plain};`)
      .replaceAll(/listen (\[::\]:)?443 /g, (_, v6 = '') => `listen ${v6}${secure} `)
    const upstream = readDeploy('nginx/sluice-upstream.conf')
    expect(await checkNginx(`${upstream}\n${site}`)).toMatch(/syntax is ok[\s\S]*test is successful/)
    await expect(checkNginx(site)).rejects.toThrow(/host not found in upstream "sluice"/)
  })

  it('wait longer than the longest response, and accept what the gateway accepts', () => {
    const site = readDeploy('nginx/sluice.conf')
    expect(site).toContain('proxy_buffering off;')
    expect(Number(/proxy_read_timeout (\d+)s/.exec(site)?.[1])).toBeGreaterThan(600)
    expect(site).toContain('client_max_body_size 25m;')
    expect(readDeploy('caddy/Caddyfile')).toContain('max_size 25MiB')
  })
})

describe('the Caddyfile', () => {
  it.skipIf(caddy === undefined)('is valid for caddy validate', async () => {
    const file = join(root, 'deploy/caddy/Caddyfile')
    const { stdout, stderr } = await run(caddy!, ['validate', '--adapter', 'caddyfile', '--config', file])
    expect(stdout + stderr).toContain('Valid configuration')
  })

  it('takes a process out before it stops to listen', () => {
    const { server } = parseDeploy('sluice.config.yaml') as { server: { shutdownDelayMs: number } }
    const interval = Number(/health_interval (\d+)s/.exec(readDeploy('caddy/Caddyfile'))?.[1])
    expect(interval).toBeGreaterThan(0)
    expect(server.shutdownDelayMs).toBeGreaterThan(2 * interval * 1_000)
  })
})

describe('the systemd unit', () => {
  it.skipIf(systemdAnalyze === undefined)(
    'is valid for systemd-analyze verify, and exposes little',
    async () => {
      const file = join(temporaryFolder(), 'sluice@8787.service')
      // The command has to exist where it is checked.
      writeFileSync(file, unit.replace('/usr/bin/node', process.execPath))
      const verified = await run(systemdAnalyze!, ['verify', file])
      // What it says of units that this one waits for is the machine's.
      expect(verified.stdout + verified.stderr).not.toContain('sluice@')
      const { stdout } = await run(systemdAnalyze!, ['security', '--offline=true', '--no-pager', file])
      expect(Number(/exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1])).toBeLessThan(2)
      writeFileSync(file, unit.replace('Restart=always', 'Restart=sometimes'))
      expect((await run(systemdAnalyze!, ['verify', file])).stderr).toMatch(/sluice@.*restart specifier/)
    },
  )

  it('restarts however the process ended, unless systemctl has stopped it', () => {
    // SIGHUP before Node has started its first script ends it, which is a clean exit to systemd.
    expect(unit).toMatch(/^Restart=always$/m)
  })

  it('stops with the time that a drain takes, and starts the command line on the port of its instance', () => {
    expect(unit).toContain(`TimeoutStopSec=${stopSeconds()}\n`)
    expect(unit).toMatch(
      /^ExecStart=\S+ \S+\/sluice\/bin\/sluice\.js serve --config \S+ --host 127\.0\.0\.1 --port %i$/m,
    )
    expect(existsSync(join(root, 'packages/cli/bin/sluice.js'))).toBe(true)
  })
})

describe('the Prometheus files', () => {
  it.skipIf(promtool === undefined)('are valid for promtool', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'token'), 'a token')
    const config = readDeploy('prometheus/prometheus.yml')
    writeFileSync(
      join(folder, 'prometheus.yml'),
      config.replace('/run/secrets/metrics-token', join(folder, 'token')),
    )
    writeFileSync(join(folder, 'alerts.yml'), readDeploy('prometheus/alerts.yml'))
    const { stdout } = await run(promtool!, ['check', 'config', join(folder, 'prometheus.yml')])
    expect(stdout).toMatch(/11 rules found/)
  })

  it.skipIf(promtool === undefined)(
    'alert at the first loss and the first call without a price, whose series are new',
    async () => {
      const folder = temporaryFolder()
      writeFileSync(join(folder, 'alerts.yml'), readDeploy('prometheus/alerts.yml'))
      const unpriced = { model: 'small', provider: 'openai' }
      const summary = 'openai answers small without a known price: no sum of costs has it.'
      const lost = { exp_annotations: { summary: 'Rows of the request log were lost.' } }
      const fires = (alertname: string, minutes: number, alert?: object) => ({
        eval_time: `${minutes}m`,
        alertname,
        exp_alerts: alert === undefined ? [] : [alert],
      })
      const lostAt = (minutes: number, isFiring: boolean) =>
        fires(
          'SluiceLogRowsLost',
          minutes,
          isFiring ? { exp_labels: { severity: 'warning' }, ...lost } : undefined,
        )
      const unpricedAt = (minutes: number, isFiring: boolean) =>
        fires(
          'SluiceUnpricedCalls',
          minutes,
          isFiring
            ? { exp_labels: { severity: 'warning', ...unpriced }, exp_annotations: { summary } }
            : undefined,
        )
      const tests = {
        rule_files: ['alerts.yml'],
        evaluation_interval: '1m',
        tests: [
          {
            interval: '1m',
            input_series: [
              // The first loss after 5 minutes, and another one after 40.
              { series: 'sluice_log_rows_lost_total{reason="full"}', values: '_x5 7x34 8x200' },
              {
                series:
                  'sluice_unpriced_total{operation="generate",model="small",provider="openai",use="answer"}',
                values: '_x5 1x200',
              },
              {
                series:
                  'sluice_unpriced_total{operation="generate",model="none",provider="openai",use="answer"}',
                values: '0x200',
              },
            ],
            alert_rule_test: [
              ...[lostAt(4, false), lostAt(6, true), lostAt(20, false), lostAt(42, true), lostAt(60, false)],
              ...[unpricedAt(4, false), unpricedAt(6, true), unpricedAt(50, true), unpricedAt(70, false)],
            ],
          },
        ],
      }
      writeFileSync(join(folder, 'tests.json'), JSON.stringify(tests))
      const { stdout } = await run(promtool!, ['test', 'rules', join(folder, 'tests.json')])
      expect(stdout).toContain('SUCCESS')
    },
  )
})
