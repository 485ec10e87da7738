// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.apache.flink.shaded.asm9.org.objectweb.asm.ClassReader;
import org.apache.flink.shaded.asm9.org.objectweb.asm.ClassVisitor;
import org.apache.flink.shaded.asm9.org.objectweb.asm.FieldVisitor;
import org.apache.flink.shaded.asm9.org.objectweb.asm.MethodVisitor;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Type;

/** Reads what a class file declares, with the library that the line of Flink has for it. */
public final class ClassFile {

    private ClassFile() {}

    /** What is declared, in the order of the file. Flags are those of reflection. */
    public interface Members {

        void type(int flags);

        void field(int flags, String name, String descriptor);

        void method(int flags, String name, String descriptor);
    }

    /**
     * Tells what a class file declares.
     *
     * @throws IllegalArgumentException if it cannot be read, as it is of a later Java
     */
    public static void read(InputStream file, Members members) throws IOException {
        new ClassReader(file)
                .accept(
                        new Visitor(members),
                        ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    }

    /** The name of the type that a descriptor stands for. */
    public static String typeOf(String descriptor) {
        return Type.getType(descriptor).getClassName();
    }

    /** The name of the type that a method returns. */
    public static String returnTypeOf(String descriptor) {
        return Type.getReturnType(descriptor).getClassName();
    }

    /** The names of the types of a method's parameters. */
    public static List<String> parametersOf(String descriptor) {
        return Arrays.stream(Type.getArgumentTypes(descriptor))
                .map(Type::getClassName)
                .collect(Collectors.toList());
    }

    private static final class Visitor extends ClassVisitor {

        private final Members members;

        Visitor(Members members) {
            super(Opcodes.ASM9);
            this.members = members;
        }

        @Override
        public void visit(
                int version,
                int flags,
                String name,
                String signature,
                String superName,
                String[] interfaces) {
            members.type(flags);
        }

        @Nullable
        @Override
        public FieldVisitor visitField(
                int flags, String name, String descriptor, String signature, Object value) {
            members.field(flags, name, descriptor);
            return null;
        }

        @Nullable
        @Override
        public MethodVisitor visitMethod(
                int flags, String name, String descriptor, String signature, String[] exceptions) {
            members.method(flags, name, descriptor);
            return null;
        }
    }
}
