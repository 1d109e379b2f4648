import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'

/** A port on which nobody listens now. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  await new Promise(resolve => server.close(resolve))
  return port
}

/** Starts a program and waits until it listens on its port. Throws, with what it printed, where it does not. */
export async function startProgram(command, args, { cwd, port, env = {}, waitMs = 30_000 }) {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  let ended
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', text => {
      printed = (printed + text).slice(-10_000)
    })
  }
  const end = once(child, 'close').then(
    ([code, signal]) => {
      ended = `ended with ${code ?? signal}`
    },
    error => {
      ended = error.message
    },
  )
  const stop = async () => {
    child.kill('SIGTERM')
    const force = setTimeout(() => child.kill('SIGKILL'), 3_000)
    await end
    clearTimeout(force)
  }
  const last = performance.now() + waitMs
  while (!(await listens(port))) {
    if (ended === undefined && performance.now() < last) continue
    await stop()
    throw new Error(`${command} ${args.join(' ')} does not listen: ${ended}\n${printed}`)
  }
  return { stop, printed: () => printed }
}

async function listens(port) {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    await new Promise(resolve => setTimeout(resolve, 100))
    return false
  } finally {
    socket.destroy()
  }
}
