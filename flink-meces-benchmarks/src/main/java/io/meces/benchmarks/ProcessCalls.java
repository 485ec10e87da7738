// SPDX-License-Identifier: Apache-2.0
package io.meces.benchmarks;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.Socket;

/**
 * Calls of the methods of an interface in another process of this machine, over a socket: one at a
 * time, each by the name of its method, which no other has, and its arguments.
 */
final class ProcessCalls {
    private ProcessCalls() {}

    /** Answers calls until the socket is closed. */
    static void serve(Object target, Class<?> type, int port) throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                ObjectOutputStream out = new ObjectOutputStream(socket.getOutputStream());
                ObjectInputStream in = new ObjectInputStream(socket.getInputStream())) {
            while (true) {
                String name = in.readUTF();
                Object[] arguments = (Object[]) in.readObject();
                out.writeObject(answer(target, type, name, arguments));
                out.reset();
                out.flush();
            }
        }
    }

    private static Object answer(Object target, Class<?> type, String name, Object[] arguments)
            throws IllegalAccessException {
        for (Method method : type.getMethods()) {
            if (method.getName().equals(name)) {
                try {
                    return method.invoke(target, arguments);
                } catch (InvocationTargetException e) {
                    return e.getCause();
                }
            }
        }
        return new NoSuchMethodException(name);
    }

    /** What calls those at the other end of a socket; for one thread. */
    static <T> T at(Class<T> type, Socket socket) throws IOException {
        ObjectOutputStream out = new ObjectOutputStream(socket.getOutputStream());
        ObjectInputStream in = new ObjectInputStream(socket.getInputStream());
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, arguments) -> {
                            out.writeUTF(method.getName());
                            out.writeObject(arguments);
                            out.reset();
                            out.flush();
                            Object answer = in.readObject();
                            if (answer instanceof Throwable) {
                                throw new IOException("A node fails.", (Throwable) answer);
                            }
                            return answer;
                        }));
    }
}
