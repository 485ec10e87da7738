// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** Somebody who has registered, to sell or to bid. */
public final class Person extends Event {
    public final long id;
    public final String name;
    public final String email;
    public final String creditCard;
    public final String city;

    /** Of the USA, two letters. */
    public final String state;

    /** Padding. */
    final byte[] extra;

    Person(
            long id,
            String name,
            String email,
            String creditCard,
            String city,
            String state,
            long timeMicros,
            byte[] extra) {
        super(timeMicros);
        this.id = id;
        this.name = name;
        this.email = email;
        this.creditCard = creditCard;
        this.city = city;
        this.state = state;
        this.extra = extra;
    }

    Person(long timeMicros, DataInput in) throws IOException {
        this(
                in.readLong(),
                in.readUTF(),
                in.readUTF(),
                in.readUTF(),
                in.readUTF(),
                in.readUTF(),
                timeMicros,
                readBytes(in));
    }

    @Override
    Kind kind() {
        return Kind.PERSON;
    }

    @Override
    void writeFields(DataOutput out) throws IOException {
        out.writeLong(id);
        out.writeUTF(name);
        out.writeUTF(email);
        out.writeUTF(creditCard);
        out.writeUTF(city);
        out.writeUTF(state);
        writeBytes(extra, out);
    }

    @Override
    public String toString() {
        return "person " + id + " at " + time();
    }
}
