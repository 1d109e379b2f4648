import { createServer } from 'node:net'
import { codeOf } from '../command-line/error-code.ts'
import { error, type Finding, ok, warning } from './finding.ts'

const check = 'port'

/** Checks whether a service can listen on an address. */
export async function checkPort(host: string, port: number): Promise<Finding> {
  if (port === 0) return ok(check, 'a free one is taken')
  const at = `${host}:${port}`
  const code = await failureToListen(host, port)
  switch (code) {
    case undefined:
      return ok(check, `${at} is free`)
    case 'EADDRINUSE':
      return warning(
        check,
        `${at} is in use, by a running gateway or another program.`,
        `Stop that program, or choose another port: sluice serve --port ${Math.min(port + 1, 65_535)}`,
      )
    case 'EACCES':
      return error(
        check,
        `${at} needs more privileges (EACCES).`,
        'Choose a port from 1024, and let a proxy listen on the lower one.',
      )
    case 'EADDRNOTAVAIL':
      return error(
        check,
        `${host} is no address of this machine.`,
        'Set server.host to 127.0.0.1, 0.0.0.0, or an address of this machine.',
      )
    default:
      return error(
        check,
        `Cannot listen on ${at} (${code}).`,
        'Set server.host and server.port to an address that is free.',
      )
  }
}

function failureToListen(host: string, port: number): Promise<string | undefined> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', failure => resolve(codeOf(failure) ?? 'unknown'))
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })
}
