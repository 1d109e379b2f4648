/** The port of a server, once it listens on loopback. */
export async function listening(server) {
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  return server.address().port
}
