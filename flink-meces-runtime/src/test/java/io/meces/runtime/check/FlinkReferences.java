// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.check;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ConstantDynamic;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.MultiANewArrayInsnNode;
import org.objectweb.asm.tree.TypeInsnNode;

/**
 * Finds what byte code refers to in Flink, in the form of {@link FlinkInternals}. Each member is
 * attributed to the class that declares it, found as the JVM does. Only class files are read,
 * nothing is loaded; those of the JDK and of other libraries are not even looked at, since they
 * cannot inherit from Flink. Owned by one thread.
 *
 * <p>Errors of reading are thrown as {@link UncheckedIOException}; a class of Flink that is not on
 * the class path is an {@link IllegalStateException}.
 */
final class FlinkReferences {

    private static final String FLINK = "org/apache/flink/";
    private static final String SHADED = "org/apache/flink/shaded/";

    private final ClassLoader loader;
    private final Map<String, ClassNode> ours = new TreeMap<>();
    private final Map<String, ClassNode> flinks = new HashMap<>();
    private final SortedSet<String> lines = new TreeSet<>();

    private FlinkReferences(ClassLoader loader) {
        this.loader = loader;
    }

    /**
     * The sorted lines for all classes in the directories or jars that the given classes are from.
     * A class of which something is used is used itself.
     */
    static List<String> of(ClassLoader loader, Class<?>... samples) {
        FlinkReferences references = new FlinkReferences(loader);
        for (Class<?> sample : samples) {
            references.readAll(sample);
        }
        references.ours.values().forEach(references::scan);
        Set<String> lines = new TreeSet<>(references.lines);
        references.lines.forEach(
                line ->
                        lines.add(
                                FlinkInternals.USES
                                        + MemberLookup.declaringClass(line.substring(1))));
        return new ArrayList<>(lines);
    }

    // ------------------------------------------------------------------------ class files

    private void readAll(Class<?> sample) {
        try {
            URI location = sample.getProtectionDomain().getCodeSource().getLocation().toURI();
            Path path = Paths.get(location);
            if (Files.isDirectory(path)) {
                readTree(path);
            } else {
                try (FileSystem jar = FileSystems.newFileSystem(path, (ClassLoader) null)) {
                    readTree(jar.getPath("/"));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private void readTree(Path root) throws IOException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(root)) {
            files =
                    walk.filter(file -> file.toString().endsWith(".class"))
                            .collect(Collectors.toList());
        }
        for (Path file : files) {
            ClassNode node = parse(Files.newInputStream(file), 0);
            ours.put(node.name, node);
        }
    }

    private static ClassNode parse(InputStream in, int options) throws IOException {
        try (InputStream closed = in) {
            ClassNode node = new ClassNode();
            new ClassReader(closed).accept(node, options | ClassReader.SKIP_DEBUG);
            return node;
        }
    }

    /** The class if it is ours or Flink's, else null. */
    @Nullable
    private ClassNode find(String name) {
        ClassNode own = ours.get(name);
        if (own != null || !isFlinks(name)) {
            return own;
        }
        return flinks.computeIfAbsent(name, this::readOfFlink);
    }

    private ClassNode readOfFlink(String name) {
        try (InputStream in = loader.getResourceAsStream(name + ".class")) {
            if (in == null) {
                throw new IllegalStateException("Not on the class path: " + name);
            }
            return parse(in, ClassReader.SKIP_CODE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean isFlinks(String name) {
        return name.startsWith(FLINK) && !name.startsWith(SHADED) && !ours.containsKey(name);
    }

    // ------------------------------------------------------------------------ references

    private void scan(ClassNode own) {
        Stream.concat(Stream.of(own.superName), own.interfaces.stream())
                .filter(this::isFlinks)
                .forEach(name -> lines.add(FlinkInternals.EXTENDS + className(name)));
        own.methods.forEach(this::scanCode);
        own.methods.forEach(method -> overridden(own, own.superName, method));
        // Including those that a superclass of ours has, maybe without knowing the interface.
        for (ClassNode type = own; type != null; type = ours.get(type.superName)) {
            for (MethodNode method : type.methods) {
                own.interfaces.forEach(name -> overridden(own, name, method));
            }
        }
    }

    private void scanCode(MethodNode method) {
        method.tryCatchBlocks.forEach(
                block -> {
                    if (block.type != null) {
                        usesType(Type.getObjectType(block.type));
                    }
                });
        for (AbstractInsnNode code : method.instructions.toArray()) {
            if (code instanceof MethodInsnNode) {
                MethodInsnNode call = (MethodInsnNode) code;
                usesMethod(call.owner, call.name, call.desc);
            } else if (code instanceof FieldInsnNode) {
                FieldInsnNode access = (FieldInsnNode) code;
                usesField(access.owner, access.name, access.desc);
            } else if (code instanceof TypeInsnNode) {
                usesType(Type.getObjectType(((TypeInsnNode) code).desc));
            } else if (code instanceof MultiANewArrayInsnNode) {
                usesType(Type.getType(((MultiANewArrayInsnNode) code).desc));
            } else if (code instanceof LdcInsnNode) {
                usesConstant(((LdcInsnNode) code).cst);
            } else if (code instanceof InvokeDynamicInsnNode) {
                InvokeDynamicInsnNode call = (InvokeDynamicInsnNode) code;
                usesConstant(call.bsm);
                for (Object argument : call.bsmArgs) {
                    usesConstant(argument);
                }
                usesLambda(call);
            }
        }
    }

    private void usesConstant(Object constant) {
        if (constant instanceof Handle) {
            Handle handle = (Handle) constant;
            if (handle.getTag() <= Opcodes.H_PUTSTATIC) {
                usesField(handle.getOwner(), handle.getName(), handle.getDesc());
            } else {
                usesMethod(handle.getOwner(), handle.getName(), handle.getDesc());
            }
        } else if (constant instanceof Type) {
            usesType((Type) constant);
        } else if (constant instanceof ConstantDynamic) {
            ConstantDynamic dynamic = (ConstantDynamic) constant;
            usesConstant(dynamic.getBootstrapMethod());
            for (int i = 0; i < dynamic.getBootstrapMethodArgumentCount(); i++) {
                usesConstant(dynamic.getBootstrapMethodArgument(i));
            }
        }
    }

    /** A lambda implements the method that it is named after, of the type that it returns. */
    private void usesLambda(InvokeDynamicInsnNode call) {
        Type type = Type.getReturnType(call.desc);
        if (!call.bsm.getOwner().equals("java/lang/invoke/LambdaMetafactory")) {
            return;
        }
        usesType(type);
        ClassNode declaring =
                findMethod(type.getInternalName(), call.name, call.bsmArgs[0].toString());
        if (declaring != null && isFlinks(declaring.name)) {
            lines.add(
                    FlinkInternals.EXTENDS
                            + method(declaring, call.name, call.bsmArgs[0].toString()));
        }
    }

    private void usesType(Type type) {
        Type element = type.getSort() == Type.ARRAY ? type.getElementType() : type;
        if (element.getSort() == Type.OBJECT && isFlinks(element.getInternalName())) {
            find(element.getInternalName());
            lines.add(FlinkInternals.USES + element.getClassName());
        }
    }

    private void usesMethod(String owner, String name, String descriptor) {
        ClassNode declaring = findMethod(owner, name, descriptor);
        if (declaring != null && isFlinks(declaring.name)) {
            lines.add(FlinkInternals.USES + method(declaring, name, descriptor));
        }
    }

    private void usesField(String owner, String name, String descriptor) {
        ClassNode declaring = findField(owner, name, descriptor);
        if (declaring != null && isFlinks(declaring.name)) {
            lines.add(
                    FlinkInternals.USES
                            + FlinkInternals.field(className(declaring.name), name, descriptor));
        }
    }

    private void overridden(ClassNode own, String supertype, MethodNode method) {
        if (method.name.startsWith("<") || !isInherited(own, own, method)) {
            return;
        }
        ClassNode declaring = findMethod(supertype, method.name, method.desc);
        if (declaring != null
                && isFlinks(declaring.name)
                && isInherited(own, declaring, declared(declaring, method.name, method.desc))) {
            lines.add(FlinkInternals.EXTENDS + method(declaring, method.name, method.desc));
        }
    }

    /** Whether a subtype can have an own version of the method. */
    private static boolean isInherited(ClassNode heir, ClassNode declaring, MethodNode method) {
        if ((method.access & (Opcodes.ACC_STATIC | Opcodes.ACC_PRIVATE)) != 0) {
            return false;
        }
        return (method.access & (Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED)) != 0
                || packageOf(heir).equals(packageOf(declaring));
    }

    private static String packageOf(ClassNode type) {
        return type.name.substring(0, type.name.lastIndexOf('/') + 1);
    }

    private static String method(ClassNode declaring, String name, String descriptor) {
        return FlinkInternals.method(className(declaring.name), name, descriptor);
    }

    private static String className(String internalName) {
        return Type.getObjectType(internalName).getClassName();
    }

    // ------------------------------------------------------------------------ resolution

    /** The class that declares a method (JVMS 5.4.3.3, 5.4.3.4); null if it is of no interest. */
    @Nullable
    private ClassNode findMethod(String owner, String name, String descriptor) {
        for (ClassNode type = find(owner); type != null; type = superclass(type)) {
            if (declared(type, name, descriptor) != null) {
                return type;
            }
        }
        Map<String, ClassNode> interfaces = new LinkedHashMap<>();
        for (ClassNode type = find(owner); type != null; type = superclass(type)) {
            addInterfaces(type, interfaces);
        }
        Predicate<ClassNode> candidate =
                type -> {
                    MethodNode method = declared(type, name, descriptor);
                    return method != null
                            && (method.access & (Opcodes.ACC_STATIC | Opcodes.ACC_PRIVATE)) == 0;
                };
        interfaces.values().removeIf(candidate.negate());
        return interfaces.values().stream()
                .filter(type -> isMostSpecific(type, interfaces))
                .findFirst()
                .orElse(null);
    }

    private boolean isMostSpecific(ClassNode type, Map<String, ClassNode> candidates) {
        return candidates.values().stream()
                .noneMatch(
                        other -> {
                            Map<String, ClassNode> above = new LinkedHashMap<>();
                            addInterfaces(other, above);
                            return above.containsKey(type.name);
                        });
    }

    /** The class that declares a field (JVMS 5.4.3.2); null if it is of no interest. */
    @Nullable
    private ClassNode findField(String owner, String name, String descriptor) {
        for (ClassNode type = find(owner); type != null; type = superclass(type)) {
            Map<String, ClassNode> candidates = new LinkedHashMap<>();
            candidates.put(type.name, type);
            addInterfaces(type, candidates);
            for (ClassNode candidate : candidates.values()) {
                for (FieldNode field : candidate.fields) {
                    if (field.name.equals(name) && field.desc.equals(descriptor)) {
                        return candidate;
                    }
                }
            }
        }
        return null;
    }

    @Nullable
    private ClassNode superclass(ClassNode type) {
        return find(type.superName);
    }

    private void addInterfaces(ClassNode type, Map<String, ClassNode> found) {
        for (String name : type.interfaces) {
            ClassNode direct = find(name);
            if (direct != null && found.put(name, direct) == null) {
                addInterfaces(direct, found);
            }
        }
    }

    @Nullable
    private static MethodNode declared(ClassNode type, String name, String descriptor) {
        for (MethodNode method : type.methods) {
            if (method.name.equals(name) && method.desc.equals(descriptor)) {
                return method;
            }
        }
        return null;
    }
}
